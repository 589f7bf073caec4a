package importing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/transfer"
	"frontdesk/internal/service/category/portal"

	"github.com/guregu/dynamo/v2"
)

// portalLine is a portal that lines name.
type portalLine struct {
	key    table.Portal
	line   int           // 0 if the file does not have it
	faulty bool          // its locales are not to be relied on
	record portal.Portal // as the file has it

	stored portal.Portal // as the table has it
	exists bool          // here is in the table
	made   bool          // this import has made it

	categories []*categoryLine // parents before those below them, once they are checked
	categoryOf map[transfer.ID]*categoryLine
}

// portal returns the portal that a line names.
func (v *validator) portal(account id.ID, slug string) *portalLine {
	key := table.Portal{Account: account, Slug: slug}
	p := v.portalOf[key]
	if p == nil {
		p = &portalLine{key: key, categoryOf: map[transfer.ID]*categoryLine{}}
		v.portalOf[key] = p
		v.portals = append(v.portals, p)
	}
	return p
}

// checkAccount refuses a line of another account than the one that was asked for.
func (v *validator) checkAccount(line transfer.Line, account id.ID) {
	if v.options.Account != 0 && account != v.options.Account && !line.Wrong("account") {
		v.fault(line.Number, "it is of account %d, and --account is %d", account, v.options.Account)
	}
}

func (v *validator) gatherPortal(line transfer.Line, record transfer.Portal) {
	p := v.portal(record.Account, record.Slug)
	v.checkAccount(line, record.Account)
	new := portal.Portal{
		Account: record.Account, Slug: record.Slug, Name: record.Name,
		Locales: record.Locales, DefaultLocale: record.DefaultLocale, FormerLocales: record.FormerLocales,
		Public: record.Public, CreatedAt: record.CreatedAt,
	}
	err := new.CheckNew()
	v.broken(line, err)
	p.faulty = p.faulty || err != nil || line.Faults != nil
	if !line.Wrong("account", "slug") && v.claim(line.Number, p.key.Key(), p.key.String()) {
		p.line, p.record = line.Number, new
	}
}

func (c content) countPortals() (n int) {
	for _, p := range c.portals {
		if p.line != 0 {
			n++
		}
	}
	return n
}

// readPortals reads which of the portals that lines name are in the table.
func (v *validator) readPortals(ctx context.Context) error {
	key := func(p *portalLine) table.Key { return p.key.Key() }
	err := readEach(ctx, v.table, v.portals, key, func(p *portalLine, item dynamo.Item) (err error) {
		p.stored, p.exists, err = portal.FromItems(table.Items{key(p): item}, p.key)
		if err == nil && !p.exists { // it is marked
			err = errors.New("it is being deleted: frontdesk portal delete goes on with it")
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", p.key, err)
		}
		return err
	})
	for _, p := range v.portals {
		if p.exists && p.line != 0 {
			v.Existing = append(v.Existing, Note{p.line, existing(p.key.String(), p.differs())})
		}
	}
	return err
}

// existing says that something is there already, and how it differs.
func existing(what, difference string) string {
	if difference == "" {
		return what + " is there already"
	}
	return what + " is there already, and differs: " + difference
}

// after returns the portal as it will be after the import.
func (p *portalLine) after() portal.Portal {
	if p.exists {
		return p.stored
	}
	return p.record
}

// differs names the fields in which the portal of the table differs from that of the file.
func (p *portalLine) differs() string {
	return differing(map[string]bool{
		"name":           p.record.Name != p.stored.Name,
		"locales":        !slices.Equal(p.record.Locales, p.stored.Locales),
		"default_locale": p.record.DefaultLocale != p.stored.DefaultLocale,
		"public":         p.record.Public != p.stored.Public,
	})
}

// checkPortal checks that a line names a portal that it may have, and that is in the file or in the table.
func (v *validator) checkPortal(line transfer.Line, p *portalLine) {
	v.checkAccount(line, p.key.Account)
	if p.line == 0 && !p.exists && !line.Wrong("account", "portal") {
		v.fault(line.Number, "there is no %s in the file or in the table", p.key)
	}
}

// writePortals creates the portals of the file that do not exist.
func (w *writer) writePortals(ctx context.Context) error {
	store := portal.Store{Table: w.table}
	for _, p := range w.portals {
		if p.line == 0 {
			continue
		}
		if !p.exists {
			if err := w.pace(ctx); err != nil {
				return err
			}
			stored, err := store.Import(ctx, p.record)
			p.made = err == nil
			if errors.Is(err, portal.ErrExists) {
				stored, err = store.Get(ctx, p.key) // made meanwhile
			}
			if err != nil {
				return fmt.Errorf("line %d: %w", p.line, err)
			}
			p.stored, p.exists = stored, true
		}
		if p.made {
			w.count(transfer.KindPortal, created, p.line, "")
			continue
		}
		difference := p.differs()
		w.count(transfer.KindPortal, outcomeOf(difference), p.line, fmt.Sprintf("%s differs: %s", p.key, difference))
	}
	return nil
}

// memberLine is a membership of the file.
type memberLine struct {
	line   int
	in     *portalLine
	user   *userLine
	app    id.ID // here; 0 means an operator
	at     time.Time
	exists bool // the table has it
}

func (v *validator) gatherMember(_ transfer.Line, record transfer.Member) {
	v.portal(record.Account, record.Portal)
	if record.App != "" {
		v.exists[v.app(record.App)] = false
	}
}

func (v *validator) checkMember(line transfer.Line, record transfer.Member) {
	p := v.portal(record.Account, record.Portal)
	v.checkPortal(line, p)
	if record.App != "" {
		v.checkApp(line, record.App)
	}
	u := v.user(line, record.User)
	if line.Wrong("account", "portal", "user") || u == nil || v.leaveOut(line.Number, u) {
		return
	}
	what := fmt.Sprintf("the membership of user %s in %s", record.User, p.key)
	if v.claim(line.Number, table.Key{PK: p.key.Member(0).PK, SK: string(record.User)}, what) {
		v.members = append(v.members, &memberLine{
			line: line.Number, in: p, user: u, app: mapped(v.options.Apps, record.App), at: record.CreatedAt,
		})
	}
}

// key returns where the membership is, or the zero Key if there cannot be one: a new user or portal has none.
func (m *memberLine) key() table.Key {
	if !m.in.exists || m.user.id == 0 {
		return table.Key{}
	}
	return m.in.key.Member(m.user.id)
}

// readMembers reads which memberships the table has.
func (p *Plan) readMembers(ctx context.Context) error {
	return readEach(ctx, p.table, p.members, (*memberLine).key, func(m *memberLine, _ dynamo.Item) error {
		m.exists = true
		return nil
	})
}

// writeMembers makes users members of portals. Memberships of one portal depend on its record, so they come one after
// the other.
func (w *writer) writeMembers(ctx context.Context) error {
	byPortal := map[*portalLine][]*memberLine{}
	for _, m := range w.members {
		byPortal[m.in] = append(byPortal[m.in], m)
	}
	return inParallel(ctx, w.portals, func(ctx context.Context, p *portalLine) error {
		for _, m := range byPortal[p] {
			if err := w.writeMember(ctx, m); err != nil {
				return fmt.Errorf("line %d: %w", m.line, err)
			}
		}
		return nil
	})
}

func (w *writer) writeMember(ctx context.Context, m *memberLine) error {
	result := unchanged
	if !m.exists {
		if err := w.pace(ctx); err != nil {
			return err
		}
		isNew, err := portal.Store{Table: w.table}.ImportMember(ctx, m.in.stored, portal.Membership{
			User: m.user.id, App: m.app, CreatedAt: m.at,
		})
		if err != nil {
			return err
		}
		if isNew {
			result = created
		}
	}
	w.count(transfer.KindMember, result, m.line, "")
	return nil
}
