package main

import (
	"bytes"
	"context"
	"fmt"
	"net/mail"
	"slices"
	"strings"

	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local/ses"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/mail/redirect"
)

// redirectedTo gets every mail of the first tenant, in place of its recipients.
const redirectedTo = "tester@example.com"

// redirect gives a tenant a mail key for tests, whose mails must reach no customer.
func (t *tenant) redirect(ctx context.Context, in table.Table) (err error) {
	key := mailkey.Key{
		Name: "redirected", Sender: t.MailKey.Sender, Daily: t.daily, Redirect: redirect.Rule{To: redirectedTo},
	}
	t.MailKey, t.MailKeyText, err = mailkey.Keys{Table: in}.Create(ctx, key)
	if err != nil {
		return fmt.Errorf("make a key that redirects: %w", err)
	}
	return nil
}

// isRedirected reports whether the tenant's mails go to redirectedTo.
func (t *tenant) isRedirected() bool { return t.MailKey.Redirect.To != "" }

// intended returns the subject and the recipients that a client gave a mail which SES got. A redirected mail has the
// first of them before its subject, and all in a field of its own.
func intended(captured ses.Mail, raw []byte) (subject string, to []string) {
	if !slices.Equal(captured.To, []string{redirectedTo}) {
		return captured.Subject, captured.To
	}
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return captured.Subject, captured.To
	}
	_, subject, _ = strings.Cut(captured.Subject, "] ")
	return subject, strings.Split(m.Header.Get("X-Original-To"), ", ")
}
