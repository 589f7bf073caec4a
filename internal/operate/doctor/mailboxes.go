package doctor

// The demands of large mailbox providers on bulk senders.
const (
	gmail   = "https://support.google.com/a/answer/81126"
	yahoo   = "https://senders.yahooinc.com/best-practices/"
	outlook = "https://sendersupport.olc.protection.outlook.com/pm/policies.aspx"
)

// withSources adds the sources to a finding that all three demand: SPF and DKIM that pass, a DMARC policy of at least
// p=none, and one of the two aligned with the domain in From.
func withSources(f Finding) Finding {
	f.Sources = []string{gmail, yahoo, outlook}
	return f
}

// unverifiableDemands returns the demands that neither SES nor the DNS can confirm.
func unverifiableDemands() []Finding {
	rate := unknown("spam rate", do("ask Google, Yahoo and Microsoft, by the last three links below"),
		"mailboxes want less than 0.3 %%, and Gmail sends SES no complaints")
	servers := unknown("PTR and TLS", do("look at Show original, of a mail of yours at Gmail"),
		"they are those of SES's servers, which have to have both")
	rate.Sources = []string{
		gmail, yahoo, outlook, "https://postmaster.google.com", "https://senders.yahooinc.com",
		"https://sendersupport.olc.protection.outlook.com/snds/",
	}
	servers.Sources = []string{gmail, yahoo}
	return []Finding{rate, servers}
}

// unknown is a finding that the doctor cannot decide, and where a person can look.
func unknown(subject string, look mend, format string, args ...any) Finding {
	return found(Unknown, subject, look, format, args...)
}

// dnsSilent is a finding for which the DNS gave no answer.
func dnsSilent(subject string, err error) Finding {
	return withSources(unknown(subject, do("look again"), "the DNS could not be asked: %v", err))
}

// authentication is a finding on SPF or DKIM, with the domain for which it passes, or would pass if the state is
// unknown. The domain is "" if it does not pass.
type authentication struct {
	Finding
	domain string
}
