package doctor

import "fmt"

// The demands of large mailbox providers on bulk senders.
const (
	gmail   = "https://support.google.com/a/answer/81126"
	yahoo   = "https://senders.yahooinc.com/best-practices/"
	outlook = "https://techcommunity.microsoft.com/blog/microsoftdefenderforoffice365blog/" +
		"strengthening-email-ecosystem-outlook%E2%80%99s-new-requirements-for-high%E2%80%90volume-senders/4399730"
)

// wanted adds the sources to a finding that all three demand: SPF and DKIM that pass, a DMARC policy of at least
// p=none, and one of the two aligned with the domain in From.
func wanted(f Finding) Finding {
	f.Sources = []string{gmail, yahoo, outlook}
	return f
}

// elsewhere returns the demands that neither SES nor the DNS can confirm.
func elsewhere() []Finding {
	rate := unknown("spam rate",
		"look there: https://postmaster.google.com, https://senders.yahooinc.com, "+
			"https://sendersupport.olc.protection.outlook.com/snds/",
		"mailboxes want less than 0.3 %%, and Gmail sends SES no complaints")
	servers := unknown("PTR and TLS",
		"look there: Show original, of a mail of yours at Gmail",
		"they are those of SES's servers, which have to have both")
	rate.Sources, servers.Sources = []string{gmail, yahoo}, []string{gmail, yahoo}
	return []Finding{rate, servers}
}

// unknown is a finding that the doctor cannot decide, and where a person can look.
func unknown(subject, look, format string, args ...any) Finding {
	return Finding{Subject: subject, State: Unknown, Says: fmt.Sprintf(format, args...), Mend: look}
}

// unasked is a finding for which the DNS gave no answer.
func unasked(subject string, err error) Finding {
	return wanted(unknown(subject, "look again", "the DNS could not be asked: %v", err))
}

// authentication is a finding on SPF or DKIM, with the domain for which it passes, or would pass if the state is
// unknown. The domain is "" if it does not pass.
type authentication struct {
	Finding
	domain string
}
