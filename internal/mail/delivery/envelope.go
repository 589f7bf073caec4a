package delivery

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"frontdesk/internal/mail/redirect"
)

// groupSize is the number of recipients that SES takes in one call.
// https://docs.aws.amazon.com/ses/latest/dg/quotas.html
const groupSize = 50

// Envelope is what SES is told beside a message: whom it is from and for, in bare addresses, whatever its headers say,
// and its tags.
type Envelope struct {
	From        string
	To, Cc, Bcc []string
	Tags        map[string]string
	Separate    bool // each of To gets a message of its own; they differ, and there are no others
	// LeftOut are those of To, by their indices in order, who are not sent their message, because they have
	// unsubscribed. It is for an envelope with Separate.
	LeftOut []int
	// Redirect is the rule by which a group goes elsewhere, when SES is handed it. Until then all is done for the
	// recipients that it has.
	Redirect redirect.Rule
}

// recipients is how many recipients an envelope has.
func (e Envelope) recipients() int { return len(e.To) + len(e.Cc) + len(e.Bcc) }

// groups splits an envelope into envelopes of at most 50 recipients: To first, then Cc, then Bcc. An address that is
// given more than once counts where it stands first, so that its mailbox gets the mail once. With Separate the groups
// are those of To, each by itself. The same envelope is always split into the same groups.
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
		of        func(*Envelope) *[]string
	}{
		{e.To, func(g *Envelope) *[]string { return &g.To }},
		{e.Cc, func(g *Envelope) *[]string { return &g.Cc }},
		{e.Bcc, func(g *Envelope) *[]string { return &g.Bcc }},
	} {
		for _, address := range kind.addresses {
			if seen[address] {
				continue
			}
			if len(seen)%groupSize == 0 {
				groups = append(groups, Envelope{From: e.From, Tags: e.Tags, Redirect: e.Redirect})
			}
			seen[address] = true
			list := kind.of(&groups[len(groups)-1])
			*list = append(*list, address)
		}
	}
	return groups
}

// Originals are the recipients whose mail goes elsewhere.
func (e Envelope) Originals() []string {
	all := slices.Concat(e.To, e.Cc, e.Bcc)
	return slices.DeleteFunc(all, func(to string) bool { return !e.Redirect.Redirects(to) })
}

// rewritten is a group as SES is handed it: the rule's address stands once in place of all whom it redirects, and a
// tag says so.
func (e Envelope) rewritten() Envelope {
	if len(e.Originals()) == 0 {
		return e
	}
	seen := map[string]bool{}
	instead := func(list []string) (sent []string) {
		for _, address := range list {
			if to := e.Redirect.Instead(address); !seen[to] {
				seen[to] = true
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

// digest is a SHA-256 by which groups are told from any others, and from the same that go elsewhere.
func digest(groups []Envelope) []byte {
	all := sha256.New()
	for _, g := range groups {
		fmt.Fprintf(all, "%q %q %q %q\n", g.To, g.Cc, g.Bcc, g.Redirect)
	}
	return all.Sum(nil)
}

// recipientsOf is how many recipients some groups have.
func recipientsOf(groups []Envelope) int {
	n := 0
	for _, g := range groups {
		n += g.recipients()
	}
	return n
}
