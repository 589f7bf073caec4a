package mail

import (
	"crypto/sha256"
	"fmt"
)

// groupSize is the number of recipients that SES takes in one call.
// https://docs.aws.amazon.com/ses/latest/dg/quotas.html
const groupSize = 50

// envelope is what SES is told beside a message: whom it is from and for, in bare addresses, whatever its headers
// say; and its tags.
type envelope struct {
	from        string
	to, cc, bcc []string
	tags        map[string]string
}

// recipients is how many an envelope is for.
func (e envelope) recipients() int { return len(e.to) + len(e.cc) + len(e.bcc) }

// groups splits an envelope into such as SES takes: To first, then Cc, then Bcc. An address that is given more
// than once counts where it stands first, so that its mailbox gets the mail once. The same envelope is always
// split into the same groups.
func (e envelope) groups() []envelope {
	var groups []envelope
	seen := map[string]bool{}
	for _, kind := range []struct {
		addresses []string
		of        func(*envelope) *[]string
	}{
		{e.to, func(g *envelope) *[]string { return &g.to }},
		{e.cc, func(g *envelope) *[]string { return &g.cc }},
		{e.bcc, func(g *envelope) *[]string { return &g.bcc }},
	} {
		for _, address := range kind.addresses {
			if seen[address] {
				continue
			}
			if len(seen)%groupSize == 0 {
				groups = append(groups, envelope{from: e.from, tags: e.tags})
			}
			seen[address] = true
			list := kind.of(&groups[len(groups)-1])
			*list = append(*list, address)
		}
	}
	return groups
}

// digest tells a way to split an envelope from any other.
func digest(groups []envelope) []byte {
	all := sha256.New()
	for _, g := range groups {
		fmt.Fprintf(all, "%q %q %q\n", g.to, g.cc, g.bcc)
	}
	return all.Sum(nil)
}

// recipientsOf is how many some groups are for.
func recipientsOf(groups []envelope) int {
	n := 0
	for _, g := range groups {
		n += g.recipients()
	}
	return n
}
