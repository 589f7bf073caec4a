package importing

import (
	"context"
	"fmt"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/transfer"
	"frontdesk/internal/service/mail/unsubscribe"

	"github.com/guregu/dynamo/v2"
)

// unsubscribeLine is an unsubscribe of the file, with the mail key of this table.
type unsubscribeLine struct {
	line   int
	record unsubscribe.Imported
	ends   unsubscribe.Subscription
	by     unsubscribe.By // who has made the one of the table; "" if there is none
}

func (v *validator) gatherUnsubscribe(_ transfer.Line, record transfer.Unsubscribe) {
	v.exists[table.MailKey(mapped(v.options.MailKeys, record.MailKey))] = false
}

// checkUnsubscribe checks an unsubscribe against the rules of package unsubscribe.
func (v *validator) checkUnsubscribe(line transfer.Line, record transfer.Unsubscribe) {
	i := unsubscribe.Imported{
		MailKey: mapped(v.options.MailKeys, record.MailKey), List: record.List, Email: record.Email,
		By: unsubscribe.By(record.By), At: record.At,
	}
	if !line.Wrong("mail_key") && !v.exists[table.MailKey(i.MailKey)] {
		v.fault(line.Number, "there is no mail key %s here: --mail-key OLD=NEW says which one takes its place",
			named(v.options.MailKeys, record.MailKey))
	}
	s, err := i.Check()
	v.broken(line, err)
	if err == nil && line.Faults == nil && v.claim(line.Number, s.Key(), "the unsubscribe of "+record.Email) {
		v.unsubscribes = append(v.unsubscribes, &unsubscribeLine{line: line.Number, record: i, ends: s})
	}
}

// readUnsubscribes reads who has made those that the table has.
func (p *Plan) readUnsubscribes(ctx context.Context) error {
	key := func(u *unsubscribeLine) table.Key { return u.ends.Key() }
	return readEach(ctx, p.table, p.unsubscribes, key, func(u *unsubscribeLine, item dynamo.Item) error {
		_, stored, err := unsubscribe.Decode(item)
		u.by = stored.By
		return err
	})
}

// writeUnsubscribes stores who wants no more mails.
func (w *writer) writeUnsubscribes(ctx context.Context) error {
	return inParallel(ctx, w.unsubscribes, func(ctx context.Context, u *unsubscribeLine) error {
		if u.record.Replaces(u.by) {
			if err := w.pace(ctx); err != nil {
				return err
			}
		}
		before, stored, err := unsubscribe.Store{Table: w.table}.Import(ctx, u.record, u.by)
		if err != nil {
			return fmt.Errorf("line %d: %w", u.line, err)
		}
		result := differs
		switch {
		case stored && before == "":
			result = created
		case stored:
			result = changed
		// A line without by does not say who has unsubscribed, so it cannot differ.
		case u.record.By == "" || u.record.By == before:
			result = unchanged
		}
		w.count(transfer.KindUnsubscribe, result, u.line,
			fmt.Sprintf("the unsubscribe of %s from mail key %d differs: by", u.record.Email, u.record.MailKey))
		return nil
	})
}
