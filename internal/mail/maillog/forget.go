package maillog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/table"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// A mail that a forgotten person has sent or got stays in the log, with what became of it. An alias stands in place of
// the address, and the subject is gone. The alias is the same each time: an event that comes later is recorded as it
// would stand there if it had come before.

// forgotten are the addresses of a mail, and of what happened to it, that were forgotten after it was sent.
func (s *Service) forgotten(
	ctx context.Context, key mailkey.Key, m logged, happened []happening,
) (mailkey.Aliases, error) {
	if !key.Forgets {
		return nil, nil
	}
	mentioned := m.mentioned()
	for _, h := range happened {
		mentioned = append(mentioned, h.mentioned()...)
	}
	slices.Sort(mentioned)
	mentioned = slices.Compact(mentioned)
	aliases := mailkey.Aliases{}
	for some := range slices.Chunk(mentioned, table.MaxItems) {
		found, err := mailkey.Keys{Table: s.Table}.FindForgotten(ctx, key, some...)
		if err != nil {
			return nil, err
		}
		for normal, f := range found {
			if !m.sentAt.After(f.Until) {
				aliases[normal] = key.Alias(m.id, normal)
			}
		}
	}
	return aliases, nil
}

// mentioned are the addresses that a mail names, in their normal forms.
func (m logged) mentioned() []string {
	return mailkey.Mentioned(append([]string{m.from, m.subject}, m.to...)...)
}

func (h happening) mentioned() []string {
	return mailkey.Mentioned(append([]string{h.detail}, h.recipients...)...)
}

// without is the mail, and what happened to it, as the log has them once people were forgotten.
func (m logged) without(forgotten mailkey.Aliases, happened []happening) (logged, []happening) {
	if len(forgotten) == 0 {
		return m, happened
	}
	m.subject = ""
	for _, normal := range mailkey.Mentioned(m.from) { // the name beside the address goes, too
		if alias, is := forgotten[normal]; is {
			m.from = alias
		}
	}
	m.to = aliased(forgotten, m.to)
	happened = slices.Clone(happened)
	for i, h := range happened {
		recipients := aliased(forgotten, h.recipients)
		if !slices.Equal(recipients, h.recipients) || forgotten.In(h.detail) {
			happened[i].recipients, happened[i].detail = recipients, ""
		}
	}
	return m, happened
}

func aliased(forgotten mailkey.Aliases, addresses []string) []string {
	all := make([]string, len(addresses))
	for i, address := range addresses {
		all[i] = address
		if alias, is := forgotten.Of(address); is {
			all[i] = alias
		}
	}
	return all
}

// Forgotten says what stands in a mail in place of an address, which is given in its normal form, if it was forgotten.
type Forgotten func(mail, normal string) (alias string, forgotten bool)

func (f Forgotten) among(mail string, normals []string) mailkey.Aliases {
	aliases := mailkey.Aliases{}
	for _, normal := range normals {
		if alias, forgotten := f(mail, normal); forgotten {
			aliases[normal] = alias
		}
	}
	return aliases
}

// ForgetEvent takes those who were forgotten out of an event that is stored. It tells whether there was any.
func ForgetEvent(ctx context.Context, t table.Table, item dynamo.Item, forgotten Forgotten) (changed bool, err error) {
	var stored eventItem
	if err := table.Decode(item, &stored); err != nil {
		return false, err
	}
	m := logged{
		id: strings.TrimPrefix(stored.PK, table.MailEvents), mailKey: stored.MailKey, sentAt: stored.SentAt,
		from: stored.From, subject: stored.Subject, to: stored.To, redirected: stored.Redirected,
	}
	h := happening{
		outcome: stored.Outcome, at: stored.At, recipients: stored.Recipients, detail: stored.Detail,
	}
	aliases := forgotten.among(m.id, append(m.mentioned(), h.mentioned()...))
	if len(aliases) == 0 {
		return false, nil
	}
	m, happened := m.without(aliases, []happening{h})
	s := Service{Table: t}
	now := s.eventItem(m, happened[0])
	now.ExpiresAt = stored.ExpiresAt
	tx := t.Tx()
	tx.Put(t.Put(now), nil)
	if now.Key != stored.Key { // its name has a digest of what happened to whom
		tx.Delete(t.DeleteItem(stored.Key), nil)
	}
	if err := tx.Run(ctx); err != nil {
		return false, fmt.Errorf("forget in an event: %w", err)
	}
	return true, nil
}

// ForgetEntry takes those who were forgotten out of the entry of a mail. It tells whether there was any. Events may be
// added to the entry at the same time.
func ForgetEntry(ctx context.Context, t table.Table, item dynamo.Item, forgotten Forgotten) (changed bool, err error) {
	k := table.KeyOf(item)
	_, mailID, _ := strings.Cut(strings.TrimPrefix(k.SK, table.SentMails), "#")
	for {
		var stored entry
		if err := table.Decode(item, &stored); err != nil {
			return changed, err
		}
		m := logged{id: mailID, from: stored.From, subject: stored.Subject}
		for _, outcome := range stored.Outcomes {
			_, to := splitOutcome(outcome)
			m.to = append(m.to, to)
		}
		aliases := forgotten.among(mailID, m.mentioned())
		if len(aliases) == 0 {
			return changed, nil
		}
		now, _ := m.without(aliases, nil)
		outcomes := make([]string, len(stored.Outcomes))
		for i, outcome := range stored.Outcomes {
			status, _ := splitOutcome(outcome)
			outcomes[i] = outcomeOf(status, now.to[i])
		}
		slices.Sort(outcomes)
		asRead := &types.AttributeValueMemberSS{Value: stored.Outcomes}
		err := t.UpdateItem(k).Set("from", now.from).Set("subject", now.subject).
			SetSet("outcomes", slices.Compact(outcomes)).If("outcomes = ?", asRead).Run(ctx)
		if err == nil {
			return true, nil
		}
		if !dynamo.IsCondCheckFailed(err) {
			return changed, fmt.Errorf("forget in the entry of a mail: %w", err)
		}
		items, err := t.Read(ctx, k)
		if err != nil || items[k] == nil {
			return changed, err
		}
		item = items[k]
	}
}
