package main

import (
	"context"
	"slices"
	"strings"
)

// simulator is the domain of SES's mailbox simulator. mailboxes has the outcome of mails to each of its addresses.
const simulator = "@simulator.amazonses.com"

// https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html#send-email-simulator
var mailboxes = []struct{ name, status string }{
	{"success", "delivered"}, {"bounce", "bounced"}, {"complaint", "complained"}, {"ooto", "delivered"},
	{"suppressionlist", "suppressed"},
}

// address draws an address for a recipient. The name is unique, so the address is, too.
func (c *client) address(name string) string {
	if c.chance(0.6) {
		return name + "@example.org"
	}
	mailbox, _ := choose(c.rng, mailboxes)
	return mailbox.name + "+" + name + simulator
}

// becomes returns the final status of a mail to an address.
func becomes(address string) string {
	for _, m := range mailboxes {
		if strings.HasPrefix(address, m.name+"+") && strings.HasSuffix(address, simulator) {
			return m.status
		}
	}
	return "delivered"
}

// mailView is a mail of the log as the API answers it.
type mailView struct {
	ID, Subject string
	Recipients  []struct{ Email, Status string }
}

// noteIDs records the ids by which the client can look the mail up.
func (m *mailModel) noteIDs(a answer) {
	body := read[struct {
		ID  string
		IDs []string
	}](a)
	if body.ID != "" && len(body.IDs) == 0 {
		body.IDs = []string{body.ID}
	}
	if len(body.IDs) > 0 {
		m.ids = slices.DeleteFunc(body.IDs, func(id string) bool { return id == "" }) // of recipients left out
	}
}

// lookUp asks the API what became of a mail.
func (c *client) lookUp(ctx context.Context, mailID string) answer {
	return c.do(ctx, request{endpoint: mailShow, values: []any{mailID}, token: c.tenant.MailKeyText})
}

// showMail looks up one of the client's mails. Its events may still be under way.
func (c *client) showMail(ctx context.Context) {
	m, ok := choose(c.rng, c.mails)
	if !ok || len(m.ids) == 0 {
		return
	}
	a := c.lookUp(ctx, m.ids[0])
	if shown := payload[mailView](a); a.ok() && (shown.ID != m.ids[0] || !m.hasSubject(shown.Subject)) {
		c.violations.add("the mail %s, %s, is shown as %s", m.subject, m.ids[0], a)
	}
}

// listMails lists mails of the tenant.
func (c *client) listMails(ctx context.Context) {
	c.do(ctx, request{endpoint: mailList, query: "?limit=20", token: c.tenant.MailKeyText})
}

// checkOutcome compares what the log shows of a mail with the outcome at each recipient's address.
func (m *mailModel) checkOutcome(to []string, shown mailView, v *violations) (good bool) {
	wrong := !m.hasSubject(shown.Subject) || len(shown.Recipients) != len(to)
	for i := range min(len(to), len(shown.Recipients)) {
		r := shown.Recipients[i]
		wrong = wrong || r.Email != to[i] || r.Status != becomes(to[i])
	}
	if wrong {
		v.add("the mail %s to %v is in the log as %+v", m.subject, to, shown)
	}
	return !wrong
}

// checkOutcomes looks up every mail that SES took, which includes all that were acknowledged. Before, it delivers
// again the events that could not be recorded while things failed, as an operator does with those in the queue.
func (o *oracle) checkOutcomes(ctx context.Context) {
	lambda := o.stack.Lambda()
	for _, letter := range lambda.DeadLetters() {
		lambda.InvokeAsync(letter.Function, letter.Event.RequestID, letter.Event.Payload)
	}
	if err := lambda.Settle(ctx); err != nil {
		o.violations.add("hand events on: %v", err)
	}
	captured := map[string][]string{} // recipients by SES's ids
	ids := map[string][]string{}      // by subject
	for _, m := range o.stack.Outbox().Mails() {
		raw, _ := o.stack.Outbox().Raw(m.ID)
		subject, _ := intended(m, raw)
		captured[m.ID] = m.To
		ids[subject] = append(ids[subject], m.ID)
	}
	for _, c := range o.clients {
		for _, m := range c.mails {
			for _, mailID := range m.ids {
				if captured[mailID] == nil {
					o.violations.add("the mail %s has the id %s, which SES does not know", m.subject, mailID)
				}
			}
			for _, mailID := range ids[m.subject] {
				a := c.lookUp(ctx, mailID)
				if !a.ok() {
					o.violations.add("SES took the mail %s as %s, which the log has not: %s", m.subject, mailID, a)
				} else if m.checkOutcome(captured[mailID], payload[mailView](a), o.violations) {
					o.confirmed.outcomes++
				}
			}
		}
	}
}
