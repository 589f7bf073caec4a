package importing

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"

	"frontdesk/internal/category/portal"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/transfer"
	"frontdesk/internal/user"
)

// File is what is read several times.
type File interface {
	io.ReadSeeker
	io.ReaderAt
}

// Plan is a file that nothing is wrong with, and what its records meet in a table.
type Plan struct {
	table   table.Table
	file    File
	options Options
	contents
	destinations []destination // of the places
	depths       []int         // of the categories: how many are above each
	others       map[transfer.Kind][]record
	free         map[id.ID]bool // ids of categories of the file that nothing in the table names
}

// Read looks at a whole file, and at what of the table its records name. Where something is wrong with it there is no
// plan.
func Read(ctx context.Context, t table.Table, file File, o Options) (*Plan, Faults, error) {
	var f Faults
	found, err := readContents(file, &f)
	if err != nil {
		return nil, f, err
	}
	destinations, err := findDestinations(ctx, t, found, o.Update)
	if err != nil {
		return nil, f, err
	}
	depths := found.depths(&f)
	others, err := check(ctx, t, file, o, found, destinations, &f)
	if err != nil || f.All > 0 {
		return nil, f.sorted(), err
	}
	var free map[id.ID]bool
	if o.KeepIDs {
		free, err = freeIDs(ctx, t, found.categories)
	}
	return &Plan{
		table: t, file: file, options: o, contents: found, destinations: destinations, depths: depths,
		others: others, free: free,
	}, f, err
}

// Records is how many records the file has.
func (p *Plan) Records() int {
	n := len(p.portals) + len(p.users) + len(p.categories)
	for _, of := range p.others {
		n += len(of)
	}
	return n
}

// Fault is what is wrong with a line, or differs.
type Fault struct {
	Line int    `json:"line"`
	What string `json:"what"`
}

// Faults are what is wrong with a file.
type Faults struct {
	Lines []Fault // maxSaid at most
	All   int
}

// maxSaid is how many lines are named, so that what is said fits into memory.
const maxSaid = 1000

func (f *Faults) add(line int, format string, args ...any) {
	f.All++
	if len(f.Lines) < 2*maxSaid { // each of the two readings may find as many
		f.Lines = append(f.Lines, Fault{line, fmt.Sprintf(format, args...)})
	}
}

// sorted are the faults in the order of their lines.
func (f *Faults) sorted() Faults {
	slices.SortStableFunc(f.Lines, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	return Faults{f.Lines[:min(maxSaid, len(f.Lines))], f.All}
}

// claims are the lines of what may be there once, by digests of its keys: there may be too many keys to have them in
// memory.
type claims map[[16]byte]int

// claim notes that a line is about what has a key. It is false, and a fault, where a line before is about the same.
func (c claims) claim(f *Faults, line int, k table.Key, what string) bool {
	sum := sha256.Sum256([]byte(k.PK + "\x00" + k.SK))
	digest := [16]byte(sum[:16])
	if before, claimed := c[digest]; claimed {
		f.add(line, "%s is on line %d as well", what, before)
		return false
	}
	c[digest] = line
	return true
}

// record is what is kept of a record: where it stands, and its id in the file.
type record struct {
	transfer.Position
	id id.ID
}

// category is what is kept of a category besides.
type category struct {
	record
	place  int   // of its portal
	parent id.ID // in the file, 0 for none
}

// contents are the portals, users and categories of a file, which other lines name.
type contents struct {
	places  []table.Portal // that lines name
	placeAt map[table.Portal]int
	portals map[int]portalLine // that the file has, by their places

	users      []record
	userAt     map[id.ID]int
	categories []category
	categoryAt map[categoryKey]int
}

type portalLine struct {
	transfer.Position
	of     portal.Portal
	faulty bool // then nothing else is said of what is in it
}

// categoryKey is what lines of a file know a category by.
type categoryKey struct {
	place int
	id    id.ID
}

// readContents reads the file for the first time, and holds portals and users against the rules.
func readContents(file File, f *Faults) (contents, error) {
	c := contents{
		placeAt: map[table.Portal]int{}, portals: map[int]portalLine{}, userAt: map[id.ID]int{},
		categoryAt: map[categoryKey]int{},
	}
	taken := claims{}
	_, err := file.Seek(0, io.SeekStart)
	if err != nil {
		return c, err
	}
	return c, transfer.Read(file, func(at transfer.Position, read transfer.Record, err error) error {
		if err != nil {
			f.add(at.Line, "%s", err)
			return nil
		}
		switch of := read.(type) {
		case transfer.Portal:
			c.addPortal(f, taken, at, of)
		case transfer.User:
			c.addUser(f, taken, at, of)
		case transfer.Category:
			c.addCategory(f, at, of)
		case transfer.Member:
			c.place(of.Account, of.Portal)
		}
		return nil
	})
}

// place is the place of a portal that a line names.
func (c *contents) place(account id.ID, slug string) int {
	key := table.Portal{Account: account, Slug: slug}
	at, known := c.placeAt[key]
	if !known {
		at = len(c.places)
		c.placeAt[key] = at
		c.places = append(c.places, key)
	}
	return at
}

func (c *contents) addPortal(f *Faults, taken claims, at transfer.Position, of transfer.Portal) {
	p := portal.Portal{
		Account: of.Account, Slug: of.Slug, Name: of.Name, Locales: of.Locales, DefaultLocale: of.DefaultLocale,
		FormerLocales: of.FormerLocales, Public: of.Public, CreatedAt: of.CreatedAt,
	}
	place := c.place(of.Account, of.Slug)
	if err := p.CheckNew(); err != nil {
		f.add(at.Line, "%s", err)
		c.portals[place] = portalLine{faulty: true}
		return
	}
	if taken.claim(f, at.Line, p.Key().Key(), p.Key().String()) {
		c.portals[place] = portalLine{Position: at, of: p}
	}
}

func (c *contents) addUser(f *Faults, taken claims, at transfer.Position, of transfer.User) {
	_, email, err := imported(of).Check()
	if err != nil {
		f.add(at.Line, "%s", err)
	} else {
		taken.claim(f, at.Line, email.Key(), "the e-mail address "+of.Email)
	}
	if _, twice := c.userAt[of.ID]; twice {
		f.add(at.Line, "user %d is there twice", of.ID)
		return
	}
	c.userAt[of.ID] = len(c.users)
	c.users = append(c.users, record{at, of.ID})
}

func (c *contents) addCategory(f *Faults, at transfer.Position, of transfer.Category) {
	key := categoryKey{c.place(of.Account, of.Portal), of.ID}
	if _, twice := c.categoryAt[key]; twice {
		f.add(at.Line, "category %d of %s is there twice", of.ID, c.places[key.place])
		return
	}
	c.categoryAt[key] = len(c.categories)
	c.categories = append(c.categories, category{record{at, of.ID}, key.place, of.Parent})
}

// depths count how many categories are above each. Those that are above themselves are faults.
func (c contents) depths(f *Faults) []int {
	const unknown, within, circular = -1, -2, -3
	depths := slices.Repeat([]int{unknown}, len(c.categories))
	for i := range depths {
		path, depth := []int(nil), 0 // from i upwards, as far as nothing is known; how many are above that
		for at, there := i, true; there; {
			if depths[at] == within { // the path has met itself
				for _, on := range path[slices.Index(path, at):] {
					of := c.categories[on]
					f.add(of.Line, "category %d is above itself: its parents make a circle", of.id)
				}
				depth = circular
				break
			}
			if depths[at] == circular {
				depth = circular
				break
			}
			if depths[at] != unknown {
				depth = depths[at] + 1
				break
			}
			depths[at] = within
			path = append(path, at)
			at, there = c.categoryAt[categoryKey{c.categories[at].place, c.categories[at].parent}]
		}
		for _, at := range slices.Backward(path) {
			depths[at] = depth
			if depth != circular {
				depth++
			}
		}
	}
	return depths
}

// destination is what a place is in the table.
type destination struct {
	there *portal.Portal // nil for none
	after portal.Portal  // as it will be
}

// findDestinations reads the portals that lines name from the table.
func findDestinations(ctx context.Context, t table.Table, c contents, update bool) ([]destination, error) {
	var all []destination
	for some := range slices.Chunk(c.places, table.MaxItems) {
		keys := make([]table.Key, len(some))
		for i, p := range some {
			keys[i] = p.Key()
		}
		items, err := t.Read(ctx, keys...)
		if err != nil {
			return nil, err
		}
		for _, p := range some {
			there, found, err := portal.In(items, p)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			if !found && items[p.Key()] != nil {
				return nil, fmt.Errorf("%s is being deleted: frontdesk portal delete goes on with it", p)
			}
			of, inFile := c.portals[len(all)]
			d := destination{after: of.of}
			if found {
				d = destination{&there, there}
			}
			if found && inFile && update {
				d.after = updated(there, of.of)
			}
			all = append(all, d)
		}
	}
	return all, nil
}

// updated is a portal that gets the fields which the file has of it.
func updated(there, of portal.Portal) portal.Portal {
	after := there
	after.Name, after.Locales, after.DefaultLocale, after.Public = of.Name, of.Locales, of.DefaultLocale, of.Public
	after.FormerLocales = slices.DeleteFunc(there.EveryLocale(), func(locale string) bool {
		return slices.Contains(of.Locales, locale)
	})
	return after
}

// hanging is an item among the categories of a portal, with all ids that it may name.
type hanging struct {
	ID       id.ID          `dynamo:"id"`
	Category id.ID          `dynamo:"category"`
	Target   id.ID          `dynamo:"target"`
	Source   id.ID          `dynamo:"source"`
	Parent   id.ID          `dynamo:"parent"`
	Root     id.ID          `dynamo:"root"`
	Related  map[string]int `dynamo:"related"`
}

// freeIDs are the ids of categories of a file that no item of any portal names. Of two categories in different portals
// that have the same id, neither keeps it.
func freeIDs(ctx context.Context, t table.Table, categories []category) (map[id.ID]bool, error) {
	free := map[id.ID]bool{}
	for _, c := range categories {
		_, twice := free[c.id]
		free[c.id] = !twice
	}
	portals, err := portal.Store{Table: t}.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range portals {
		page, err := table.QueryRange[hanging](ctx, t, p.Key().Categories(), " ", "~", 0)
		for err == nil {
			for _, i := range page.Items {
				for _, of := range []id.ID{i.ID, i.Category, i.Target, i.Source, i.Parent, i.Root} {
					delete(free, of)
				}
				for related := range i.Related {
					of, _ := id.Parse(related)
					delete(free, of)
				}
			}
			if !page.More() {
				break
			}
			page, err = page.Next(ctx, 0)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Key(), err)
		}
	}
	return free, nil
}

func imported(of transfer.User) user.Imported {
	return user.Imported{
		Name: of.Name, Email: of.Email, CustomAttributes: of.CustomAttributes, PasswordHash: of.PasswordHash,
		OwnPasswordHash: of.OwnPasswordHash, CreatedAt: of.CreatedAt, UpdatedAt: of.UpdatedAt,
	}
}
