package importing

import (
	"context"
	"fmt"

	"frontdesk/internal/id"
	"frontdesk/internal/mail/unsubscribe"
	"frontdesk/internal/table"
	"frontdesk/internal/transfer"
	"frontdesk/internal/user"
)

// writeUsers creates the users of the file whose e-mail addresses nobody has. It returns the ids that all of them have
// here, 0 for those that it has not reached.
func (w *writing) writeUsers(ctx context.Context) (here []id.ID, err error) {
	here = make([]id.ID, len(w.users))
	ownID := func(i int) id.ID { return w.users[i].id }
	return here, inLanes(ctx, len(w.users), ownID, func(ctx context.Context, some []int) error {
		service := &user.Service{Table: w.table}
		records := make([]user.Imported, len(some))
		emails := make([]user.Email, len(some))
		for n, i := range some {
			of, err := parse[transfer.User](w.file, w.users[i].Position)
			if err != nil {
				return err
			}
			records[n] = imported(of)
			_, emails[n], err = records[n].Check()
			if err != nil {
				return fmt.Errorf("line %d: %w", w.users[i].Line, err)
			}
		}
		// One batch looks up all users of a chunk.
		there, err := service.FindAll(ctx, emails...)
		if err != nil {
			return err
		}
		for n, i := range some {
			var became outcome
			var what string
			now, found := there[emails[n].Normal()]
			if found {
				became, what, err = w.compareUser(ctx, records[n], now)
			} else {
				now, err = w.createUser(ctx, records[n])
			}
			if err != nil {
				return fmt.Errorf("line %d: %w", w.users[i].Line, err)
			}
			here[i] = now.ID // only one lane writes each element
			w.count(transfer.KindUser, len(w.users), became, w.users[i].Line, what)
		}
		return nil
	})
}

// createUser creates a user, as fast as the pace allows.
func (w *writing) createUser(ctx context.Context, of user.Imported) (user.User, error) {
	if err := w.pace.wait(ctx); err != nil {
		return user.User{}, err
	}
	return (&user.Service{Table: w.table}).Import(ctx, of)
}

// compareUser compares a user of the file with the one who exists. E-mail address and password belong to the user,
// and stay.
func (w *writing) compareUser(
	ctx context.Context, of user.Imported, there user.User,
) (became outcome, what string, err error) {
	u, _, err := of.Check()
	if err != nil {
		return 0, "", err
	}
	fields := differing(map[string]bool{
		"name":              u.Name != there.Name,
		"custom_attributes": u.CustomAttributes != there.CustomAttributes,
	})
	switch {
	case fields == "":
		return unchanged, "", nil
	case !w.options.Update:
		return differs, fmt.Sprintf("user %d, %s, differs: %s", there.ID, there.Email, fields), nil
	}
	if err := w.pace.wait(ctx); err != nil {
		return 0, "", err
	}
	_, err = (&user.Service{Table: w.table}).ImportChanges(ctx, there, u.Name, u.CustomAttributes)
	return changed, "", err
}

// writeLinks links apps to users. A link has nothing that could differ.
func (w *writing) writeLinks(ctx context.Context, userHere func(id.ID) id.ID) error {
	return writeOthers(ctx, w, transfer.KindLink,
		func(of transfer.Link) table.Key {
			return table.PermissibleLink(mapped(w.options.Apps, of.App), userHere(of.User))
		},
		func(of transfer.Link, there bool, _ table.Items) (outcome, string, error) {
			if there {
				return unchanged, "", nil
			}
			if err := w.pace.wait(ctx); err != nil {
				return 0, "", err
			}
			service := &user.Service{Table: w.table}
			app := mapped(w.options.Apps, of.App)
			return created, "", service.ImportLink(ctx, app, userHere(of.User), of.CreatedAt)
		})
}

// writeUnsubscribes stores who wants no more mails.
func (w *writing) writeUnsubscribes(ctx context.Context) error {
	return writeOthers(ctx, w, transfer.KindUnsubscribe,
		func(of transfer.Unsubscribe) table.Key {
			s, _ := w.options.unsubscribe(of).Check() // cannot fail: check has checked it
			return s.Key()
		},
		func(of transfer.Unsubscribe, _ bool, items table.Items) (outcome, string, error) {
			return w.writeUnsubscribe(ctx, w.options.unsubscribe(of), items)
		})
}

// writeUnsubscribe stores an unsubscribe. If somebody else has stored it since the items were read, it reads again.
func (w *writing) writeUnsubscribe(
	ctx context.Context, i unsubscribe.Imported, items table.Items,
) (became outcome, what string, err error) {
	of, err := i.Check()
	if err != nil {
		return 0, "", err
	}
	for {
		by, err := unsubscribe.Find(items, of)
		switch {
		case err != nil:
			return 0, "", err
		case by == "":
			became = created
		// A line without by does not say who has unsubscribed, so it cannot differ.
		case i.By == "" || i.By == by:
			return unchanged, "", nil
		case !w.options.Update || by == unsubscribe.ByOperator:
			what = fmt.Sprintf("the unsubscribe of %s from mail key %d differs: by", i.Email, i.MailKey)
			return differs, what, nil
		default:
			became = changed
		}
		if err := w.pace.wait(ctx); err != nil {
			return 0, "", err
		}
		stored, err := unsubscribe.Store{Table: w.table}.Import(ctx, i, became == changed)
		if err != nil || stored {
			return became, "", err
		}
		items, err = w.table.Read(ctx, of.Key())
		if err != nil {
			return 0, "", err
		}
	}
}
