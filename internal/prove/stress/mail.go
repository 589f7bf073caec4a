package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// manyRecipients is so many that SES gets them in several groups.
const manyRecipients = 120

// sendMail sends a new mail. Without an Idempotency-Key the client never repeats it.
func (c *client) sendMail(ctx context.Context) {
	m := c.newMail()
	c.mails = append(c.mails, m)
	c.send(ctx, m)
}

// newMail draws a mail: most have up to three recipients, a tenth has so many that SES gets several groups, and three
// tenths have files, by value or by URL. Half of all mails have an Idempotency-Key.
func (c *client) newMail() *mailModel {
	m := &mailModel{subject: c.name("mail"), redirected: c.tenant.isRedirected()}
	to, recipients := mailPlain, 1+c.rng.IntN(3)
	body := object{"key": c.tenant.MailKeyText, "subject": m.subject, "text": "The text of " + m.subject}
	switch drawn := c.rng.Float64(); {
	case drawn < 0.1 && !m.redirected: // a redirected mail names 20 recipients at most
		to, recipients = mailMany, manyRecipients
	case drawn < 0.4:
		to = mailFiles
		var list []object
		for i := range 1 + c.rng.IntN(2) {
			a := attachment{name: fmt.Sprintf("%s-%d.bin", m.subject, i), lines: 1 + c.rng.IntN(2000)}
			m.attachments = append(m.attachments, a)
			if c.chance(0.3) {
				list = append(list, object{"filename": a.name, "content": a.content()})
			} else {
				list = append(list, object{"url": c.url + a.path()})
			}
		}
		body["attachments"] = list
	}
	var audience []object
	for i := range recipients {
		address := c.address(fmt.Sprintf("%s.%d", m.subject, i))
		m.recipients = append(m.recipients, address)
		audience = append(audience, object{"email": address})
	}
	body["recipients"] = audience
	m.outcome = outcome{known: true, refused: recipients} // so far
	m.request = request{endpoint: to, body: body}
	if c.tenant.daily == narrowQuota {
		m.request.also = []int{http.StatusTooManyRequests}
	}
	if c.chance(0.5) {
		m.request.key = "key-of-" + m.subject
	}
	return m
}

// send sends a mail, and records what its client was told. A mail with an Idempotency-Key is due again until the
// answer is final.
func (c *client) send(ctx context.Context, m *mailModel) {
	a := c.do(ctx, m.request)
	m.noteIDs(a)
	pause := 500 * time.Millisecond
	switch {
	case a.ok():
		m.outcome = outcomeOf(len(m.recipients), a, c.violations)
	case a.status == http.StatusConflict:
		pause = c.backOff(m, a)
	case a.unknown():
		m.outcome = outcome{}
	}
	m.retryAt = time.Time{}
	if m.request.key == "" || a.status == http.StatusTooManyRequests { // the quota lasts until tomorrow
		return
	}
	if !m.outcome.final() {
		m.retryAt = time.Now().Add(pause)
		return
	}
	m.finalAnswer = string(a.body)
	if c.chance(0.1) {
		c.replay(ctx, m)
	}
}

// maxBackOff is the longest pause of a client. Pauses double while another request uses the key.
const maxBackOff = 8 * time.Second

// backOff returns how long a client waits after it met another request with its key: at least as long as the
// answer asks.
func (c *client) backOff(m *mailModel, a answer) time.Duration {
	seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
	if err != nil || seconds < 1 || seconds > int(gatewayTimeout/time.Second) {
		c.violations.add("409 without a good Retry-After: %s", a)
		seconds = 1
	}
	m.backOff = max(time.Duration(seconds)*time.Second, min(2*m.backOff, maxBackOff))
	return m.backOff
}

// replay repeats a mail with a final outcome, or sends another mail with its key.
func (c *client) replay(ctx context.Context, m *mailModel) {
	again := m.request
	if c.chance(0.5) {
		a := c.do(ctx, again)
		replayed := a.header.Get("Idempotent-Replayed")
		if a.ok() && (string(a.body) != m.finalAnswer || replayed != "true") {
			c.violations.add("the mail %s was first answered with %s, and then, Idempotent-Replayed: %q, with %s",
				m.subject, m.finalAnswer, replayed, a)
		}
		return
	}
	again.body = object{
		"key": c.tenant.MailKeyText, "subject": "other-" + m.subject, "text": "Another text",
		"recipients": []object{{"email": m.recipients[0]}},
	}
	again.also = []int{http.StatusUnprocessableEntity}
	if a := c.do(ctx, again); a.ok() {
		c.violations.add("the key of mail %s served another one: %s", m.subject, a)
	}
}

// nextRetry returns the mail that is due again first, nil if none is.
func (c *client) nextRetry() (next *mailModel) {
	for _, m := range c.mails {
		if !m.retryAt.IsZero() && (next == nil || m.retryAt.Before(next.retryAt)) {
			next = m
		}
	}
	return next
}
