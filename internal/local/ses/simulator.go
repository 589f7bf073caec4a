package ses

import (
	"strings"
	"time"

	"frontdesk/internal/local/identifier"

	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// simulator is the domain of the mailbox simulator, whose addresses have an outcome each, with or without a label:
// bounce+label@simulator.amazonses.com.
// https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html#send-email-simulator
const simulator = "simulator.amazonses.com"

// invalid ends the domains that nobody has (RFC 2606 section 2). Here their addresses stand for people's: they bounce,
// or complain where that is their name.
const invalid = ".invalid"

// onList is the subtype of a bounce, or a complaint, of an address to which SES did not try to send.
const onList = "OnAccountSuppressionList"

// outcomes are the events of a mail, one after the other, each some milliseconds after the one before: that it is sent,
// and what becomes of it for the recipients of each domain. A mail to any other address than the simulator's and those
// of nobody is delivered, unless that is on the suppression list.
func outcomes(m Mail, list *SuppressionList) []detail {
	at := m.ReceivedAt
	later := func() timestamp {
		at = at.Add(time.Millisecond)
		return timestamp{at}
	}
	mailbox := map[string][]string{} // recipients by address of the simulator
	delivered := map[string][]string{}
	suppressed := map[types.SuppressionListReason][]string{}
	var domains []string
	for _, to := range m.To {
		address := bare(to)
		at := strings.LastIndex(address, "@")
		local, domain := address[:max(at, 0)], strings.ToLower(address[at+1:])
		if s, ok := list.Get(address); ok {
			suppressed[s.Reason] = append(suppressed[s.Reason], address)
			continue
		}
		if domain == simulator || strings.HasSuffix(domain, invalid) {
			name, _, _ := strings.Cut(strings.ToLower(local), "+")
			if domain != simulator && name != "complaint" {
				name = "bounce"
			}
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
	bounced := func(addresses []string, kind, subType, mta string, as recipient) {
		if addresses != nil {
			all = append(all, detail{Type: "Bounce", Bounce: &bounce{
				FeedbackID: identifier.UUID(), Type: kind, SubType: subType,
				Recipients: recipients(addresses, as), Timestamp: later(), MTA: mta,
			}})
		}
	}
	bounced(mailbox["bounce"], "Permanent", "General", "dns; a8-70.smtp-out.amazonses.com",
		recipient{Action: "failed", Status: "5.1.1", Diagnostic: "smtp; 550 5.1.1 user unknown"})
	bounced(mailbox["suppressionlist"], "Permanent", "Suppressed", "dns; amazonses.com",
		recipient{Action: "failed", Status: "5.1.1", Diagnostic: "Amazon SES has suppressed sending to this address " +
			"because it has a recent history of bouncing as an invalid address."})
	bounced(suppressed[types.SuppressionListReasonBounce], "Permanent", onList, "dns; amazonses.com",
		recipient{Action: "failed", Status: "5.1.1", Diagnostic: "Amazon SES did not send the message to this " +
			"address because it is on the suppression list for your account."})
	// An automatic answer comes as a bounce of this type, though the mail was delivered.
	// https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html#bounce-types
	bounced(mailbox["ooto"], "Transient", "General", "", recipient{})
	if to := mailbox["complaint"]; to != nil {
		all = append(all, detail{Type: "Complaint", Complaint: &complaint{
			FeedbackID: identifier.UUID(), Recipients: recipients(to, recipient{}), Timestamp: later(),
			UserAgent: "Amazon SES Mailbox Simulator", FeedbackType: "abuse", Arrival: timestamp{m.ReceivedAt},
		}})
	}
	if to := suppressed[types.SuppressionListReasonComplaint]; to != nil {
		subType := onList
		all = append(all, detail{Type: "Complaint", Complaint: &complaint{
			FeedbackID: identifier.UUID(), SubType: &subType, Recipients: recipients(to, recipient{}),
			Timestamp: later(), Arrival: timestamp{m.ReceivedAt},
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
