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

// LeaveOut records that a mail was not sent to some recipients, because they had unsubscribed. SES knows nothing of
// them: they are in the log as mails of their own, each of up to 50 recipients, under ids that are not SES's.
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
