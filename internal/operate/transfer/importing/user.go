package importing

import (
	"context"
	"fmt"
	"sync"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/registry"
	"frontdesk/internal/operate/transfer"
	"frontdesk/internal/service/user"

	"github.com/guregu/dynamo/v2"
)

// userLine is a user of the file.
type userLine struct {
	line     int
	old      transfer.ID
	inactive string // why the user is left out, or ""
	record   user.Imported
	email    user.Email

	id      id.ID  // 0 if the table does not have the user
	differs string // how the user of the table differs
}

func (v *validator) gatherUser(line transfer.Line, record transfer.User) {
	u := &userLine{line: line.Number, old: record.ID, record: user.Imported{
		Name: record.Name, Email: record.Email, CustomAttributes: record.CustomAttributes,
		PasswordHash: record.PasswordHash, OwnPasswordHash: record.OwnPasswordHash,
		CreatedAt: record.CreatedAt, UpdatedAt: record.UpdatedAt,
	}}
	if _, twice := v.userOf[record.ID]; twice && !line.Wrong("id") { // each id may stand for one user only
		v.fault(u.line, "the file has user %s twice", record.ID)
	} else {
		v.userOf[record.ID] = u
	}
	switch inactive := record.Inactive(); {
	case inactive == "":
	case v.options.ActiveOnly:
		u.inactive = inactive
		v.LeftOut = append(v.LeftOut, Note{u.line, fmt.Sprintf("user %s, %s, is %s", u.old, u.record.Email, inactive)})
		return
	default:
		v.fault(u.line, "the user is %s where the file comes from: --active-only leaves such users out", inactive)
	}
	_, email, err := u.record.Check()
	u.email = email
	v.broken(line, err)
	// Without an address nobody can be found in the table.
	if email.Sent != "" && v.claim(u.line, email.Key(), "the e-mail address "+u.record.Email) {
		v.users = append(v.users, u)
	}
}

// leaveOut reports whether a line names a user who is left out, and notes it.
func (v *validator) leaveOut(line int, u *userLine) bool {
	if u.inactive != "" {
		v.LeftOut = append(v.LeftOut, Note{line, fmt.Sprintf("user %s is %s", u.old, u.inactive)})
	}
	return u.inactive != ""
}

// readUsers reads which users the table has, and checks the ids that the others are to keep.
func (v *validator) readUsers(ctx context.Context) error {
	service := &user.Service{Table: v.table}
	err := inBatches(ctx, v.users, func(ctx context.Context, some []*userLine) error {
		emails := make([]user.Email, len(some))
		for i, u := range some {
			emails[i] = u.email
		}
		existing, err := service.FindAll(ctx, emails...)
		if err != nil {
			return err
		}
		for _, u := range some {
			if now, found := existing[u.email.Normal()]; found {
				u.setExisting(now)
			}
		}
		return nil
	})
	for _, u := range v.users {
		if u.id != 0 {
			what := fmt.Sprintf("user %d, %s,", u.id, u.record.Email)
			v.Existing = append(v.Existing, Note{u.line, existing(what, u.differs)})
		}
	}
	if err != nil {
		return err
	}
	return v.checkKeptUsers(ctx)
}

// setExisting notes the user of the table who has the address, and how that user differs.
func (u *userLine) setExisting(existing user.User) {
	wanted, _, _ := u.record.Check() // gatherUser has checked it
	u.id = existing.ID
	u.differs = differing(map[string]bool{
		"name":              wanted.Name != existing.Name,
		"custom_attributes": wanted.CustomAttributes != existing.CustomAttributes,
	})
}

// checkKeptUsers checks the ids that new users are to keep. An id that an item of the table has is refused: what is
// left of a user who was deleted, such as a membership, would give the new one that user's access. An id that the clock
// has not reached would be given to another user one day.
func (v *validator) checkKeptUsers(ctx context.Context) error {
	if !v.options.KeepIDs {
		return nil
	}
	kept := map[id.ID]*userLine{}
	for _, u := range v.users {
		if u.id != 0 || u.old == "" {
			continue
		}
		if n, ok := v.checkKeptID(u.line, u.old, "user"); ok {
			u.record.ID = n
			kept[n] = u
		}
	}
	if len(kept) == 0 {
		return nil
	}
	var mu sync.Mutex
	return v.table.ScanAll(ctx, func(_ context.Context, items []dynamo.Item) error {
		mu.Lock()
		defer mu.Unlock()
		for _, item := range items {
			n := userOf(item)
			if u := kept[n]; u != nil {
				v.fault(u.line, "the id %d is taken: the table has an item of it (%s); without --keep-ids "+
					"the user gets a new one", n, table.KeyOf(item).Kind())
				delete(kept, n) // one fault is enough
			}
		}
		return nil
	})
}

// registered are the kinds of all items.
var registered = sync.OnceValue(registry.Kinds)

// userOf returns the user whose item it is, 0 for nobody's.
func userOf(item dynamo.Item) id.ID {
	read := registered().Read(item, time.Now())
	if owner, ok := read.Content.(user.Owner); ok {
		return owner.User
	}
	return read.BelongsTo()
}

// writeUsers creates the users of the file whose e-mail addresses nobody has.
func (w *writer) writeUsers(ctx context.Context) error {
	service := &user.Service{Table: w.table}
	return inParallel(ctx, w.users, func(ctx context.Context, u *userLine) error {
		if u.id == 0 {
			if err := w.pace(ctx); err != nil {
				return err
			}
			existing, isNew, err := service.Import(ctx, u.record)
			if err != nil {
				return fmt.Errorf("line %d: %w", u.line, err)
			}
			u.setExisting(existing)
			if isNew {
				w.count(transfer.KindUser, created, u.line, "")
				return nil
			}
		}
		w.count(transfer.KindUser, outcomeOf(u.differs), u.line,
			fmt.Sprintf("user %d, %s, differs: %s", u.id, u.email.Sent, u.differs))
		return nil
	})
}

// linkLine is a link of an app to a user.
type linkLine struct {
	line   int
	app    id.ID // here
	user   *userLine
	at     time.Time
	exists bool // the table has it
}

func (v *validator) gatherLink(_ transfer.Line, record transfer.Link) {
	v.exists[v.app(record.App)] = false
}

func (v *validator) checkLink(line transfer.Line, record transfer.Link) {
	v.checkApp(line, record.App)
	u := v.user(line, record.User)
	if line.Wrong("app", "user") || u == nil || v.leaveOut(line.Number, u) {
		return
	}
	l := &linkLine{line: line.Number, app: mapped(v.options.Apps, record.App), user: u, at: record.CreatedAt}
	what := fmt.Sprintf("the link of app %s to user %s", record.App, record.User)
	if v.claim(l.line, table.Key{PK: table.PermissibleLink(l.app, 0).PK, SK: string(record.User)}, what) {
		v.links = append(v.links, l)
	}
}

// key returns where the link is, or the zero Key if there cannot be one: a new user has none.
func (l *linkLine) key() table.Key {
	if l.user.id == 0 {
		return table.Key{}
	}
	return table.PermissibleLink(l.app, l.user.id)
}

// readLinks reads which links the table has.
func (p *Plan) readLinks(ctx context.Context) error {
	return readEach(ctx, p.table, p.links, (*linkLine).key, func(l *linkLine, _ dynamo.Item) error {
		l.exists = true
		return nil
	})
}

// writeLinks links apps to users. A link has nothing that could differ.
func (w *writer) writeLinks(ctx context.Context) error {
	service := &user.Service{Table: w.table}
	return inParallel(ctx, w.links, func(ctx context.Context, l *linkLine) error {
		result := unchanged
		if !l.exists {
			if err := w.pace(ctx); err != nil {
				return err
			}
			isNew, err := service.ImportLink(ctx, l.app, l.user.id, l.at)
			if err != nil {
				return fmt.Errorf("line %d: %w", l.line, err)
			}
			if isNew {
				result = created
			}
		}
		w.count(transfer.KindLink, result, l.line, "")
		return nil
	})
}
