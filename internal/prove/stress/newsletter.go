package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"frontdesk/internal/service/mail/unsubscribe"
)

// reader is a recipient of a client's newsletters, as the client knows the reader.
type reader struct {
	address      string
	unsubscribed bool // has unsubscribed
}

// maxReaders is how many readers a client has at most.
const maxReaders = 12

// newsletters is the name of the client's own list: nobody else changes who has left it.
func (c *client) newsletters() string { return fmt.Sprintf("client-%d", c.number) }

// sendNewsletter sends a mail to the client's readers and a new one, without an Idempotency-Key. Readers who have
// unsubscribed by then are left out, and nobody else.
func (c *client) sendNewsletter(ctx context.Context) {
	m := &mailModel{subject: c.name("news"), redirected: c.tenant.isRedirected()}
	if len(c.readers) >= maxReaders {
		c.readers = c.readers[1:]
	}
	c.readers = append(c.readers, &reader{address: c.address(m.subject + ".reader")})
	var audience []object
	var indexes []int
	for i, r := range c.readers {
		audience = append(audience, object{"email": r.address})
		if r.unsubscribed {
			indexes = append(indexes, i)
		} else {
			m.recipients = append(m.recipients, r.address)
		}
	}
	m.outcome = outcome{known: true, refused: len(m.recipients)} // so far
	m.request = request{endpoint: mailReaders, body: object{
		"key": c.tenant.MailKeyText, "subject": m.subject, "text": "Leave: {UNSUBSCRIBE}", "list": c.newsletters(),
		"recipients": audience, "config": []string{"separate", "unsubscribe"},
	}}
	if c.tenant.daily == narrowQuota {
		m.request.also = []int{429}
	}
	c.mails = append(c.mails, m)
	a := c.do(ctx, m.request)
	m.noteIDs(a)
	switch {
	case a.ok():
		m.outcome = outcomeOf(len(m.recipients), a, c.violations)
		if reported := read[struct{ Unsubscribed []int }](a).Unsubscribed; !slices.Equal(reported, indexes) {
			c.violations.add("the mail %s left out %v, and %v have unsubscribed: %s", m.subject, reported, indexes, a)
		}
	case a.unknown():
		m.outcome = outcome{}
	}
}

// unsubscribe lets a reader leave, or come back. If the outcome is unknown, the client drops the reader: nobody knows
// whether later mails will leave the reader out.
func (c *client) unsubscribe(ctx context.Context) {
	r, ok := choose(c.rng, c.readers)
	if !ok {
		return
	}
	key := c.tenant.MailKey
	sealer, err := unsubscribe.NewSealer(key.ID, key.Secret)
	if err != nil {
		c.violations.add("seal an address: %v", err)
		return
	}
	does := "One-Click"
	if r.unsubscribed {
		does = "Undo"
	}
	a := c.do(ctx, request{
		endpoint: unsubscribing, values: []any{sealer.Seal(c.newsletters(), r.address)},
		body: url.Values{"List-Unsubscribe": {does}},
	})
	if a.ok() {
		r.unsubscribed = !r.unsubscribed
		return
	}
	c.readers = slices.DeleteFunc(c.readers, func(other *reader) bool { return other == r })
}

// listUnsubscribes checks that the list of unsubscribes has exactly the readers who have left.
func (c *client) listUnsubscribes(ctx context.Context) {
	query := "?limit=1000&list=" + c.newsletters()
	a := c.do(ctx, request{endpoint: unsubscribes, query: query, token: c.tenant.MailKeyText})
	if !a.ok() {
		return
	}
	var listed []string
	for _, u := range read[struct{ Payload []unsubscribe.Unsubscribe }](a).Payload {
		listed = append(listed, u.Email)
	}
	for _, r := range c.readers {
		if slices.Contains(listed, r.address) != r.unsubscribed {
			c.violations.add("reader %s has left: %t, and is listed as if not so: %s", r.address, r.unsubscribed, a)
		}
	}
}
