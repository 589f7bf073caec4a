package maillog

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
)

// LeaveOut records recipients who were not sent a mail because they had unsubscribed. SES does not know them. So they
// are in the log as mails of their own, of up to 50 recipients each, under ids that SES never gives.
func (s *Service) LeaveOut(
	ctx context.Context, mailKey id.ID, at time.Time, from, subject string, recipients []string,
) error {
	group := api.NewGroup()
	for to := range slices.Chunk(recipients, maxRecipients) {
		m := logged{
			id: "unsubscribed-" + rand.Text(), mailKey: mailKey, sentAt: exact(at),
			from: api.Shorten(from, maxHeader), subject: api.Shorten(subject, maxHeader), to: to,
		}
		left := happening{outcome: Unsubscribed, at: m.sentAt, recipients: to}
		group.Go(func() error {
			item := s.eventItem(m, left)
			if err := s.Table.Put(item).Run(ctx); err != nil {
				return fmt.Errorf("put %s: %w", item.Kind(), err)
			}
			return nil
		})
		group.Go(func() error { return s.enter(ctx, m, []happening{left}) })
	}
	return group.Wait()
}
