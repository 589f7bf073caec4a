package mail

import "fmt"

// MaxReplyTo is the number of addresses that answers to a mail may go to: as many as SES takes recipients of one.
const MaxReplyTo = 50

// checkReplyTo holds the addresses for answers against the rules for recipients. Whose they are does not matter:
// nothing is sent to them, and SES verifies none of them.
// https://docs.aws.amazon.com/ses/latest/dg/quotas.html
func (m *Message) checkReplyTo(f *faults) {
	if n := len(m.ReplyTo); n > MaxReplyTo {
		f.add("replyto", "are too many: %d; at most %d are allowed", n, MaxReplyTo)
		return
	}
	for i, r := range m.ReplyTo {
		r.check(f, fmt.Sprintf("replyto[%d]", i))
	}
}
