package doctor

import "context"

// examineLostEvents looks whether events of mails wait in the queue LostEvents. A stack without a mail log has none.
func (d *Doctor) examineLostEvents(ctx context.Context) []Finding {
	const subject = "lost events"
	n, found, err := d.LostEvents(ctx)
	switch {
	case err != nil:
		return []Finding{unread(subject, "cloudformation:ListStackResources and sqs:GetQueueAttributes", err)}
	case !found:
		return nil
	case n > 0:
		return []Finding{wrong(subject, mend{
			"mend what their ERROR_MESSAGE names, and hand them on: internal/docs/mail.md",
			"frontdesk --stack " + d.Stack + " events redrive",
		}, "%d in the queue LostEvents, which keeps them for 14 days", n)}
	}
	return []Finding{right(subject, "none waits in the queue LostEvents")}
}
