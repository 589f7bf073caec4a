package maillog

// This file is for operators: no endpoint calls it.

import (
	"context"
	"fmt"
	"net/mail"
	"slices"

	"frontdesk/internal/base/address"
	"frontdesk/internal/base/table"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// A mail to a person alone goes from the log with its events when the person is forgotten. One with other recipients
// keeps what became of these, and loses the address. Events that SES publishes later bring it back: they go with the
// log's retention, or by a second forgetting.

// is reports whether an address of a mail is the person's. It is one address: team=bob@example.org is not
// bob@example.org, as it could be in a text.
func is(p table.Person) func(string) bool {
	return func(recipient string) bool {
		normal, err := address.Normal(recipient)
		return err == nil && normal == p.Address
	}
}

// others returns the addresses that are not the person's.
func others(p table.Person, addresses []string) []string {
	return slices.DeleteFunc(slices.Clone(addresses), is(p))
}

// forgetEvent takes a person out of an event, or deletes the event if it is of that person alone. The key stays,
// although it has a digest of the content: so the same event, coming again, takes the place of this one.
func forgetEvent(ctx context.Context, t table.Table, s table.Stored, p table.Person) (changed bool, err error) {
	if s.Damage != "" {
		return false, nil
	}
	event := s.Content.(eventItem)
	to, recipients := others(p, event.To), others(p, event.Recipients)
	if len(to) == 0 && len(event.To) > 0 || len(recipients) == 0 && len(event.Recipients) > 0 {
		if err := t.DeleteItem(s.Key).Run(ctx); err != nil {
			return false, fmt.Errorf("delete the event of a forgotten person: %w", err)
		}
		return true, nil
	}
	from, subject, detail := withoutSender(p, event.From), p.Redact(event.Subject), p.Redact(event.Detail)
	if len(to) == len(event.To) && len(recipients) == len(event.Recipients) &&
		from == event.From && subject == event.Subject && detail == event.Detail {
		return false, nil
	}
	err = t.UpdateItem(s.Key).Set("to", to).Set("recipients", recipients).Set("from", from).Set("subject", subject).
		Set("detail", detail).If("attribute_exists(PK)").Run(ctx)
	if err != nil && !dynamo.IsCondCheckFailed(err) {
		return false, fmt.Errorf("forget in an event: %w", err)
	}
	return true, nil
}

// withoutSender returns a sender without the person, as the address or in the name beside it.
func withoutSender(p table.Person, from string) string {
	sender, err := mail.ParseAddress(from)
	switch {
	case err != nil:
		return p.Redact(from)
	case is(p)(sender.Address):
		return p.Redact(sender.Address)
	case p.NamedIn(sender.Name):
		return sender.Address
	}
	return from
}

// forgetEntry takes a person out of the entry of a mail, or deletes the entry if the mail was to that person alone. If
// an event is added to the entry meanwhile, it reads the entry again.
func forgetEntry(ctx context.Context, t table.Table, s table.Stored, p table.Person) (changed bool, err error) {
	if s.Damage != "" {
		return false, nil
	}
	for stored := s.Content.(entry); ; {
		var recipients, kept []string
		for _, outcome := range stored.Outcomes {
			_, to := splitOutcome(outcome)
			if !is(p)(to) {
				kept = append(kept, outcome)
				if to != "" {
					recipients = append(recipients, to)
				}
			}
		}
		from, subject := withoutSender(p, stored.From), p.Redact(stored.Subject)
		asRead := &types.AttributeValueMemberSS{Value: stored.Outcomes}
		switch {
		case len(kept) == len(stored.Outcomes) && from == stored.From && subject == stored.Subject:
			return changed, nil
		case len(recipients) == 0 && len(kept) < len(stored.Outcomes):
			err = t.DeleteItem(s.Key).If("outcomes = ?", asRead).Run(ctx)
		default:
			err = t.UpdateItem(s.Key).Set("from", from).Set("subject", subject).SetSet("outcomes", kept).
				If("outcomes = ?", asRead).Run(ctx)
		}
		if err == nil {
			return true, nil
		}
		if !dynamo.IsCondCheckFailed(err) {
			return changed, fmt.Errorf("forget in the entry of a mail: %w", err)
		}
		items, err := t.Read(ctx, s.Key)
		if err != nil {
			return changed, err
		}
		stored = entry{}
		if found, err := items.Get(s.Key, &stored); err != nil || !found {
			return changed, err
		}
	}
}
