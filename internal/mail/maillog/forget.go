package maillog

import (
	"context"
	"fmt"
	"net/mail"
	"slices"
	"strings"

	"frontdesk/internal/address"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/table"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// A mail stays in the log, with its outcome, when a person who sent or got it is forgotten. An alias replaces the
// address, and the subject is deleted. The alias is always the same for one mail and address: so an event that comes
// after the person was forgotten gives the same items as one that came before.

// forgotten returns aliases for the addresses of a mail and its happenings that were forgotten after the mail was
// sent. A mail that is sent later is a new contact, and stays as it is.
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

// mentioned returns the addresses in a mail, in their normal forms. A recipient is one address: team=bob@example.org is
// not bob@example.org, as it could be in a text.
func (m logged) mentioned() []string {
	return slices.Concat(ofSender(m.from), normals(m.to), mailkey.Mentioned(m.subject))
}

func (h happening) mentioned() []string {
	return append(normals(h.recipients), mailkey.Mentioned(h.detail)...)
}

// ofSender returns the address of a sender, and those that the name beside it mentions.
func ofSender(from string) []string {
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return mailkey.Mentioned(from)
	}
	return append(normals([]string{sender.Address}), mailkey.Mentioned(sender.Name)...)
}

// normals returns addresses in their normal forms. It leaves out what is no address.
func normals(addresses []string) (all []string) {
	for _, a := range addresses {
		if normal, err := address.Normal(a); err == nil {
			all = append(all, normal)
		}
	}
	return all
}

// without returns the mail and its happenings as the log keeps them after people were forgotten. A detail goes as a
// whole: its words may describe the person.
func (m logged) without(forgotten mailkey.Aliases, happened []happening) (logged, []happening) {
	if len(forgotten) == 0 {
		return m, happened
	}
	m.subject = ""
	for _, normal := range ofSender(m.from) { // the name beside the address goes, too
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
	for i, a := range addresses {
		all[i] = a
		if alias, is := forgotten.Of(a); is {
			all[i] = alias
		}
	}
	return all
}

// Forgotten returns the alias that replaces an address in a mail, if that address was forgotten. The address is given
// in its normal form.
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

// ForgetEvent replaces forgotten people in a stored event. It reports whether there were any.
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
	if now.Key != stored.Key { // the name of an event has a digest of its recipients
		tx.Delete(t.DeleteItem(stored.Key), nil)
	}
	if err := tx.Run(ctx); err != nil {
		return false, fmt.Errorf("forget in an event: %w", err)
	}
	return true, nil
}

// ForgetEntry replaces forgotten people in the entry of a mail. It reports whether there were any. If an event is
// added to the entry meanwhile, it reads the entry again.
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
