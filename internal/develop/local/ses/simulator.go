package ses

import (
	"strings"
	"time"

	"frontdesk/internal/develop/local/awsform"

	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// simulator is the domain of the mailbox simulator. Each of its addresses has a fixed outcome, with or without a
// label: bounce+label@simulator.amazonses.com.
// https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html#send-email-simulator
const simulator = "simulator.amazonses.com"

// invalid is the end of domains that nobody can own (RFC 2606 section 2). Here their addresses stand for people who
// bounce, or who complain if the address is named "complaint". Unlike the simulator's they go onto the suppression
// list. Two more names have outcomes that the simulator has not.
const invalid = ".invalid"

const (
	delayed  = "delay" + invalid  // its server is not reached, for ever
	rejected = "reject" + invalid // SES finds a virus in each mail to it, so that nobody gets the mail
)

// onList is the subtype of a bounce or a complaint for an address to which SES did not try to send.
const onList = "OnAccountSuppressionList"

// outcomes returns the events of a mail, each a millisecond after the one before: that the mail is sent, and then the
// outcome for the recipients of each domain. A mail to any address that is neither the simulator's, nor in .invalid,
// nor on the suppression list is delivered.
func outcomes(m Mail, list *SuppressionList) []detail {
	// Each event has a later time than the one before, so that they can be sorted.
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
		// The last @, because a quoted local part may contain others.
		at := strings.LastIndex(address, "@")
		local, domain := address[:max(at, 0)], strings.ToLower(address[at+1:])
		// The list comes first: SES does not even try to send to these addresses.
		if s, ok := list.Get(address); ok {
			suppressed[s.Reason] = append(suppressed[s.Reason], address)
			continue
		}
		if domain == simulator || strings.HasSuffix(domain, invalid) {
			name, _, _ := strings.Cut(strings.ToLower(local), "+")
			if domain != simulator {
				name = nameOfInvalid(name)
			}
			mailbox[name] = append(mailbox[name], address)
			// The other addresses of the simulator also get a Delivery.
			switch name {
			case "bounce", "suppressionlist", delayed, rejected:
				continue
			}
		}
		if delivered[domain] == nil {
			domains = append(domains, domain)
		}
		delivered[domain] = append(delivered[domain], address)
	}
	all := []detail{{Type: "Send", Send: &struct{}{}}}
	if mailbox[rejected] != nil {
		return append(all, detail{Type: "Reject", Reject: &reject{Reason: "Bad content"}})
	}
	for _, domain := range domains {
		all = append(all, detail{Type: "Delivery", Delivery: &delivery{
			Timestamp: later(), Milliseconds: at.Sub(m.ReceivedAt).Milliseconds(), Recipients: delivered[domain],
			SMTPResponse: "250 2.6.0 Message received", MTA: "a8-70.smtp-out.amazonses.com",
		}})
	}
	if to := mailbox[delayed]; to != nil {
		all = append(all, detail{Type: "DeliveryDelay", DeliveryDelay: &deliveryDelay{
			Timestamp: later(), Type: "TransientCommunicationFailure",
			Recipients: recipients(to, recipient{
				Status: "4.4.1", Diagnostic: "smtp; 421 4.4.1 Unable to connect to remote host",
			}),
		}})
	}
	bounced := func(addresses []string, kind, subType, mta string, as recipient) {
		if addresses != nil {
			all = append(all, detail{Type: "Bounce", Bounce: &bounce{
				FeedbackID: awsform.UUID(), Type: kind, SubType: subType,
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
	// An automatic answer is reported as a bounce of this type, although the mail was delivered.
	// https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html#bounce-types
	bounced(mailbox["ooto"], "Transient", "General", "", recipient{})
	if to := mailbox["complaint"]; to != nil {
		all = append(all, detail{Type: "Complaint", Complaint: &complaint{
			FeedbackID: awsform.UUID(), Recipients: recipients(to, recipient{}), Timestamp: later(),
			UserAgent: "Amazon SES Mailbox Simulator", FeedbackType: "abuse", Arrival: timestamp{m.ReceivedAt},
		}})
	}
	if to := suppressed[types.SuppressionListReasonComplaint]; to != nil {
		subType := onList
		all = append(all, detail{Type: "Complaint", Complaint: &complaint{
			FeedbackID: awsform.UUID(), SubType: &subType, Recipients: recipients(to, recipient{}),
			Timestamp: later(), Arrival: timestamp{m.ReceivedAt},
		}})
	}
	return all
}

// nameOfInvalid returns the outcome of an address in .invalid, by its name without a label.
func nameOfInvalid(name string) string {
	switch name {
	case "complaint":
		return name
	case "delay", "reject":
		return name + invalid
	}
	return "bounce"
}

// recipients returns a recipient for each address, equal in everything else.
func recipients(addresses []string, as recipient) (list []recipient) {
	for _, as.Email = range addresses {
		list = append(list, as)
	}
	return list
}
