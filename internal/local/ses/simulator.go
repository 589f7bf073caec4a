package ses

import (
	"strings"
	"time"

	"frontdesk/internal/local/identifier"
)

// simulator is the domain of the mailbox simulator, whose addresses have an outcome each, with or without a label:
// bounce+label@simulator.amazonses.com.
// https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html#send-email-simulator
const simulator = "simulator.amazonses.com"

// outcomes are the events of a mail, one after the other, each some milliseconds after the one before: that it is sent,
// and what becomes of it for the recipients of each domain. A mail to an address that is not the simulator's is
// delivered.
func outcomes(m Mail) []detail {
	at := m.ReceivedAt
	later := func() timestamp {
		at = at.Add(time.Millisecond)
		return timestamp{at}
	}
	mailbox := map[string][]string{} // recipients by address of the simulator
	delivered := map[string][]string{}
	var domains []string
	for _, to := range m.To {
		address := bare(to)
		at := strings.LastIndex(address, "@")
		local, domain := address[:max(at, 0)], strings.ToLower(address[at+1:])
		if domain == simulator {
			name, _, _ := strings.Cut(strings.ToLower(local), "+")
			mailbox[name] = append(mailbox[name], address)
			if name == "bounce" || name == "suppressionlist" {
				continue
			}
		}
		if delivered[domain] == nil {
			domains = append(domains, domain)
		}
		delivered[domain] = append(delivered[domain], address)
	}
	all := []detail{{Type: "Send", Send: &struct{}{}}}
	for _, domain := range domains {
		all = append(all, detail{Type: "Delivery", Delivery: &delivery{
			Timestamp: later(), Milliseconds: at.Sub(m.ReceivedAt).Milliseconds(), Recipients: delivered[domain],
			SMTPResponse: "250 2.6.0 Message received", MTA: "a8-70.smtp-out.amazonses.com",
		}})
	}
	bounced := func(name, kind, subType, mta string, as recipient) {
		if mailbox[name] != nil {
			all = append(all, detail{Type: "Bounce", Bounce: &bounce{
				FeedbackID: identifier.UUID(), Type: kind, SubType: subType,
				Recipients: recipients(mailbox[name], as), Timestamp: later(), MTA: mta,
			}})
		}
	}
	bounced("bounce", "Permanent", "General", "dns; a8-70.smtp-out.amazonses.com",
		recipient{Action: "failed", Status: "5.1.1", Diagnostic: "smtp; 550 5.1.1 user unknown"})
	bounced("suppressionlist", "Permanent", "Suppressed", "dns; amazonses.com",
		recipient{Action: "failed", Status: "5.1.1", Diagnostic: "Amazon SES has suppressed sending to this address " +
			"because it has a recent history of bouncing as an invalid address."})
	// An automatic answer comes as a bounce of this type, though the mail was delivered.
	// https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html#bounce-types
	bounced("ooto", "Transient", "General", "", recipient{})
	if to := mailbox["complaint"]; to != nil {
		all = append(all, detail{Type: "Complaint", Complaint: &complaint{
			FeedbackID: identifier.UUID(), Recipients: recipients(to, recipient{}), Timestamp: later(),
			UserAgent: "Amazon SES Mailbox Simulator", FeedbackType: "abuse", Arrival: timestamp{m.ReceivedAt},
		}})
	}
	return all
}

// recipients are addresses of which all else is the same.
func recipients(addresses []string, as recipient) (list []recipient) {
	for _, as.Email = range addresses {
		list = append(list, as)
	}
	return list
}
