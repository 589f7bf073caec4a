package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// manyRecipients go to SES in several groups.
const manyRecipients = 120

// sendMail sends a new mail. One without an Idempotency-Key is sent once, whatever comes of it.
func (c *client) sendMail(ctx context.Context) {
	l := c.compose()
	c.letters = append(c.letters, l)
	c.send(ctx, l)
}

func (c *client) compose() *letter {
	l := &letter{subject: c.name("mail")}
	to, recipients := mailPlain, 1+c.rng.IntN(3)
	mail := map[string]any{"key": c.tenant.mailKey, "subject": l.subject, "text": "The text of " + l.subject}
	switch drawn := c.rng.Float64(); {
	case drawn < 0.1:
		to, recipients = mailMany, manyRecipients
	case drawn < 0.4:
		to = mailFiles
		var list []map[string]any
		for i := range 1 + c.rng.IntN(2) {
			f := file{name: fmt.Sprintf("%s-%d.bin", l.subject, i), lines: 1 + c.rng.IntN(2000)}
			l.attached = append(l.attached, f)
			if c.chance(0.3) {
				list = append(list, map[string]any{"filename": f.name, "content": f.content()})
			} else {
				list = append(list, map[string]any{"url": c.files.urlOf(f)})
			}
		}
		mail["attachments"] = list
	}
	var audience []map[string]string
	for i := range recipients {
		address := fmt.Sprintf("%s.%d@example.org", l.subject, i)
		l.recipients = append(l.recipients, address)
		audience = append(audience, map[string]string{"email": address})
	}
	mail["recipients"] = audience
	l.outcome = outcome{told: true, unsent: recipients} // so far
	l.request = request{endpoint: to, method: http.MethodPost, path: "/sender.php", body: write(mail)}
	l.request.may = []int{http.StatusConflict}
	if c.tenant.daily == narrowQuota {
		l.request.may = append(l.request.may, http.StatusTooManyRequests)
	}
	if c.chance(0.5) {
		l.request.key = "key-of-" + l.subject
	}
	return l
}

// send sends a mail and notes what its client is told. One with an Idempotency-Key is due again until that is final.
func (c *client) send(ctx context.Context, l *letter) {
	a := c.do(ctx, l.request)
	pause := 500 * time.Millisecond
	switch {
	case a.ok():
		l.outcome = outcomeOf(len(l.recipients), a, c.broken)
	case a.status == http.StatusConflict:
		pause = c.wait(l, a)
	case a.unknown():
		l.outcome = outcome{}
	}
	l.due = time.Time{}
	if l.request.key == "" || a.status == http.StatusTooManyRequests { // until tomorrow
		return
	}
	if !l.outcome.final() {
		l.due = time.Now().Add(pause)
		return
	}
	l.first = string(a.body)
	if c.chance(0.1) {
		c.replay(ctx, l)
	}
}

// longestWait bounds a client's pauses, which double while a key is in use.
const longestWait = 8 * time.Second

// wait is how long a client waits that met another request with its key: what the answer asks for at least.
func (c *client) wait(l *letter, a answer) time.Duration {
	seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
	if err != nil || seconds < 1 || seconds > int(patience/time.Second) {
		c.broken.add("409 without a good Retry-After: %s", a)
		seconds = 1
	}
	l.busy = max(time.Duration(seconds)*time.Second, min(2*l.busy, longestWait))
	return l.busy
}

// replay sends a mail again whose outcome is final, or another one with its key.
func (c *client) replay(ctx context.Context, l *letter) {
	again := l.request
	if c.chance(0.5) {
		if a := c.do(ctx, again); a.ok() && (string(a.body) != l.first || a.header.Get("Idempotent-Replayed") != "true") {
			c.broken.add("the mail %s was first answered with %s, and then, Idempotent-Replayed: %q, with %s",
				l.subject, l.first, a.header.Get("Idempotent-Replayed"), a)
		}
		return
	}
	again.body = write(map[string]any{
		"key": c.tenant.mailKey, "subject": "other-" + l.subject, "text": "Another text",
		"recipients": []map[string]string{{"email": l.recipients[0]}},
	})
	again.may = []int{http.StatusConflict, http.StatusUnprocessableEntity}
	if a := c.do(ctx, again); a.ok() {
		c.broken.add("the key of mail %s served another one: %s", l.subject, a)
	}
}

// resendDue sends a mail again that is due, and is false if there is none.
func (c *client) resendDue(ctx context.Context) bool {
	for _, l := range c.letters {
		if !l.due.IsZero() && time.Now().After(l.due) {
			c.send(ctx, l)
			return true
		}
	}
	return false
}

// finish sends all mails with a key until their outcome is final, or the context ends.
func (c *client) finish(ctx context.Context) {
	for {
		var next time.Time
		for _, l := range c.letters {
			if !l.due.IsZero() && (next.IsZero() || l.due.Before(next)) {
				next = l.due
			}
		}
		if next.IsZero() || ctx.Err() != nil {
			return
		}
		c.pause(ctx, time.Until(next))
		c.resendDue(ctx)
	}
}
