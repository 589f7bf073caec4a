package delivery

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"frontdesk/internal/base/address"
	"frontdesk/internal/service/mail/redirect"
)

// groupSize is the number of recipients that SES accepts in one call.
// https://docs.aws.amazon.com/ses/latest/dg/quotas.html
const groupSize = 50

// Envelope is what SES gets beside a message: the sender and the recipients as bare addresses, whatever the headers
// say, and the tags.
type Envelope struct {
	From        string
	To, Cc, Bcc []string
	Tags        map[string]string
	Separate    bool // each of To gets a message of its own; To has no duplicates, Cc and Bcc are empty
	// LeftOut has the indices of the recipients in To who are not sent their message because they have unsubscribed,
	// in increasing order. It is used only with Separate.
	LeftOut []int
	// Redirect replaces recipients when a group is handed to SES. Everything before that, such as the split into
	// groups, works with the original recipients.
	Redirect redirect.Rule
}

// recipients returns the number of recipients of an envelope.
func (e Envelope) recipients() int { return len(e.To) + len(e.Cc) + len(e.Bcc) }

// groups splits an envelope into envelopes of at most 50 recipients: first To, then Cc, then Bcc. An address that
// occurs more than once, also in another case of letters, counts only at its first place, so that its mailbox gets the
// mail once. With Separate each recipient of To is a group. The split is deterministic: a record names groups by their
// index.
func (e Envelope) groups() []Envelope {
	var groups []Envelope
	if e.Separate {
		for _, to := range e.To {
			groups = append(groups, Envelope{From: e.From, Tags: e.Tags, Redirect: e.Redirect, To: []string{to}})
		}
		return groups
	}
	seen := map[string]bool{}
	for _, kind := range []struct {
		addresses []string
		list      func(*Envelope) *[]string
	}{
		{e.To, func(g *Envelope) *[]string { return &g.To }},
		{e.Cc, func(g *Envelope) *[]string { return &g.Cc }},
		{e.Bcc, func(g *Envelope) *[]string { return &g.Bcc }},
	} {
		for _, to := range kind.addresses {
			folded := address.Fold(to)
			if seen[folded] {
				continue
			}
			if len(seen)%groupSize == 0 {
				groups = append(groups, Envelope{From: e.From, Tags: e.Tags, Redirect: e.Redirect})
			}
			seen[folded] = true
			list := kind.list(&groups[len(groups)-1])
			*list = append(*list, to)
		}
	}
	return groups
}

// Originals returns the recipients whose mail the redirect rule sends elsewhere.
func (e Envelope) Originals() []string {
	all := slices.Concat(e.To, e.Cc, e.Bcc)
	return slices.DeleteFunc(all, func(to string) bool { return !e.Redirect.Redirects(to) })
}

// rewritten returns the group as SES gets it. The address of the redirect rule occurs once in place of all recipients
// whom it replaces, and a tag marks the mail as redirected.
func (e Envelope) rewritten() Envelope {
	if len(e.Originals()) == 0 {
		return e
	}
	seen := map[string]bool{}
	instead := func(list []string) (sent []string) {
		for _, original := range list {
			to := e.Redirect.Instead(original)
			if folded := address.Fold(to); !seen[folded] {
				seen[folded] = true
				sent = append(sent, to)
			}
		}
		return sent
	}
	e.To, e.Cc, e.Bcc = instead(e.To), instead(e.Cc), instead(e.Bcc)
	tags := map[string]string{redirect.Tag: "true"}
	maps.Copy(tags, e.Tags)
	e.Tags = tags
	return e
}

// digest returns a SHA-256 that identifies these groups. It differs if the same groups go to other addresses.
func digest(groups []Envelope) []byte {
	all := sha256.New()
	for _, g := range groups {
		fmt.Fprintf(all, "%q %q %q %q\n", g.To, g.Cc, g.Bcc, g.Redirect)
	}
	return all.Sum(nil)
}

// recipientsOf returns the number of recipients in some groups.
func recipientsOf(groups []Envelope) int {
	n := 0
	for _, g := range groups {
		n += g.recipients()
	}
	return n
}
