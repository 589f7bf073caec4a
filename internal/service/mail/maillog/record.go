package maillog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/mail/mailkey"

	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/aws/smithy-go"
	"github.com/guregu/dynamo/v2"
)

// eventItem is a stored event, with what it says of its mail.
type eventItem struct {
	table.Key
	MailKey id.ID     `dynamo:"mail_key"`
	SentAt  time.Time `dynamo:"sent_at"`
	From    string    `dynamo:"from"`
	Subject string    `dynamo:"subject"`
	To      []string  `dynamo:"to"`

	Redirected bool `dynamo:"redirected,omitempty"`

	Outcome    Status    `dynamo:"outcome"`
	At         time.Time `dynamo:"at"`
	Recipients []string  `dynamo:"recipients"`
	Detail     string    `dynamo:"detail"`
	ExpiresAt  time.Time `dynamo:"expires_at,unixtime"`
}

// Invoke records one event from EventBridge. It implements lambda.Handler. After an error, nothing or a part of the
// event is stored, and the same event may come again: Lambda tries twice more, and then puts it into the
// dead-letter queue.
func (s *Service) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	start := time.Now()
	ctx, cancel := api.EndBefore(ctx, time.Second)
	defer cancel()
	m, recorded, err := s.record(ctx, event)
	if refused, ok := errors.AsType[smithy.APIError](err); ok {
		// The text of the error may quote the item, and the log must not have an address. Lambda logs the error, too.
		err = fmt.Errorf("write what the event says: %s", refused.ErrorCode())
	}
	s.logEvent(ctx, m, recorded, time.Since(start), err)
	return []byte("null"), err
}

// logEvent writes the line of an event.
func (s *Service) logEvent(ctx context.Context, m logged, recorded int, took time.Duration, err error) {
	if s.Log == nil {
		return
	}
	level := slog.LevelInfo
	attrs := []slog.Attr{
		slog.Int("recorded", recorded),
		slog.Float64("ms", float64(took.Microseconds())/1000),
	}
	if m.id != "" {
		attrs = append(attrs, slog.String("ses_message_id", m.id), slog.Int64("mail_key", int64(m.mailKey)))
	}
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		attrs = append(attrs, slog.String("lambda_request_id", lc.AwsRequestID))
	}
	if err != nil {
		level = slog.LevelWarn // no alarm yet: the queue has one, for events that Lambda gave up
		attrs = append(attrs, slog.Any("error", err))
	}
	s.Log.LogAttrs(ctx, level, "mail event", attrs...)
}

// record stores an event, unless it concerns no mail of ours. That is an event of another service, of a mail that has
// left the log, or of a mail key that does not exist: other senders of the account could use any name in the tag.
// Recorded counts the happenings.
func (s *Service) record(ctx context.Context, event []byte) (m logged, recorded int, err error) {
	m, happened, err := parse(event)
	if err != nil || len(happened) == 0 || !m.sentAt.After(s.oldest()) {
		return m, 0, err
	}
	if _, known, err := (mailkey.Keys{Table: s.Table}).Find(ctx, m.mailKey); !known {
		return m, 0, err
	}
	group := api.NewGroup()
	group.SetLimit(table.MaxParallel)
	for _, h := range happened {
		group.Go(func() error {
			item := s.eventItem(m, h)
			if err := s.Table.Put(item).Run(ctx); err != nil {
				return fmt.Errorf("put %s: %w", item.Kind(), err)
			}
			return nil
		})
	}
	group.Go(func() error { return s.enter(ctx, m, happened) })
	return m, len(happened), group.Wait()
}

// eventItem is the item of a happening. Its key holds the time and a digest of the content: the same event has the
// same key, and different events of one millisecond have different keys.
func (s *Service) eventItem(m logged, h happening) eventItem {
	content := sha256.New()
	fmt.Fprintf(content, "%d %q %q %q", m.mailKey, h.outcome, h.recipients, h.detail)
	name := h.at.Format(sortable) + "#" + hex.EncodeToString(content.Sum(nil)[:8])
	return eventItem{
		Key: table.MailEvent(m.id, name), MailKey: m.mailKey,
		SentAt: m.sentAt, From: m.from, Subject: m.subject, To: m.to, Redirected: m.redirected,
		Outcome: h.outcome, At: h.at, Recipients: h.recipients, Detail: h.detail,
		ExpiresAt: m.sentAt.Add(s.Retention),
	}
}

// sortable is the layout of times in keys, in UTC and in milliseconds as SES gives them. Its texts sort like
// the times.
const sortable = "2006-01-02T15:04:05.000Z"

// logParts is the number of partitions of a mail key's log. Every list reads all of them.
const logParts = 4

// entry is the key of a mail's entry in the log of its mail key.
func (m logged) entry() table.Key {
	return table.LoggedMail(m.mailKey, logPart(m.id), m.sentAt.Format(sortable)+"#"+m.id)
}

// logPart is the partition of the log that holds a mail.
func logPart(mailID string) int { return int(sha256.Sum256([]byte(mailID))[0]) % logParts }

// maxOutcomes is the greatest number of outcomes of a mail: each status for each recipient, and for other addresses.
var maxOutcomes = len(outcomes) * (maxRecipients + 1)

// enter adds happenings to the mail's entry. It adds nothing to an entry that has more outcomes than a mail can have.
// Such events belong to several mails with one id, which SES never makes; without a bound they would grow the item.
func (s *Service) enter(ctx context.Context, m logged, happened []happening) error {
	key := m.entry()
	update := s.Table.UpdateItem(key).
		Set("from", m.from).Set("subject", m.subject).Set(table.ExpiresAt, m.sentAt.Add(s.Retention).Unix()).
		AddStringsToSet("outcomes", m.outcomesOf(happened)...).
		If("attribute_not_exists(outcomes) OR size(outcomes) < ?", maxOutcomes)
	if m.redirected {
		update.Set("redirected", true)
	}
	err := update.Run(ctx)
	if err != nil && !dynamo.IsCondCheckFailed(err) {
		return fmt.Errorf("update %s: %w", key.Kind(), err)
	}
	return nil
}

// outcomesOf returns the outcomes of happenings, each once. It always adds that the mail was sent to all, because
// another event may come before that of the sending. An outcome that concerns no recipient of the mail has the
// recipient "".
func (m logged) outcomesOf(happened []happening) []string {
	var set []string
	for _, to := range m.to {
		set = append(set, outcomeOf(Sent, to))
	}
	for _, h := range happened {
		for _, to := range h.recipients {
			set = append(set, outcomeOf(h.outcome, to))
		}
		if len(h.recipients) == 0 {
			set = append(set, outcomeOf(h.outcome, ""))
		}
	}
	slices.Sort(set)
	// DynamoDB takes no value twice.
	return slices.Compact(set)
}

// outcomeOf is the outcome of one recipient as the set of an entry holds it. No status has a space, so it can be
// split again.
func outcomeOf(outcome Status, recipient string) string { return string(outcome) + " " + recipient }

func splitOutcome(s string) (Status, string) {
	outcome, recipient, _ := strings.Cut(s, " ")
	return Status(outcome), recipient
}
