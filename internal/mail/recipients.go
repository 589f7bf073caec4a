package mail

// MaxReplyTo is the number of addresses that answers to a mail may go to. It is ours: SES documents none.
const MaxReplyTo = 50

// checkReplyTo holds the addresses for answers against the rules for recipients. Whose they are does not matter:
// nothing is sent to them, and SES does not verify them.
func (m *Mail) checkReplyTo(f *faults) {
	if n := len(m.ReplyTo); n > MaxReplyTo {
		f.add("replyto", "are too many: %d; at most %d are allowed", n, MaxReplyTo)
		return
	}
	checkMailboxes(f, "replyto", m.ReplyTo)
}
