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

// File is a file that is read several times.
type File interface {
	io.ReadSeeker
	io.ReaderAt
}

// Plan is a file without faults, with what its records meet in a table.
type Plan struct {
	table   table.Table
	file    File
	options Options
	contents
	destinations []destination // by place
	depths       []int         // how many categories are above each category
	others       map[transfer.Kind][]record
}

// Read reads a whole file, and what its records name of the table. When something is wrong with the file, it returns
// the faults and no plan.
func Read(ctx context.Context, t table.Table, file File, o Options) (*Plan, Faults, error) {
	var f Faults
	// The first reading collects what other lines may name. check reads the file again, when that is complete.
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
	// Nothing is written for a file with a fault: half of a tree would be hard to tell from the tree that was there.
	if err != nil || f.All > 0 {
		return nil, f.sorted(), err
	}
	return &Plan{
		table: t, file: file, options: o, contents: found, destinations: destinations, depths: depths, others: others,
	}, f, nil
}

// Records returns how many records the file has.
func (p *Plan) Records() int {
	n := len(p.portals) + len(p.users) + len(p.categories)
	for _, of := range p.others {
		n += len(of)
	}
	return n
}

// Fault is what is wrong with a line, or what differs.
type Fault struct {
	Line int    `json:"line"`
	What string `json:"what"`
}

// Faults are what is wrong with a file.
type Faults struct {
	Lines []Fault // at most maxSaid
	All   int     // also those that Lines leaves out
}

// maxSaid is how many lines are named, so that the report fits into memory.
const maxSaid = 1000

func (f *Faults) add(line int, format string, args ...any) {
	f.All++
	if len(f.Lines) < 2*maxSaid { // each of the two readings may find as many
		f.Lines = append(f.Lines, Fault{line, fmt.Sprintf(format, args...)})
	}
}

// sorted returns the faults in the order of their lines.
func (f *Faults) sorted() Faults {
	slices.SortStableFunc(f.Lines, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	return Faults{f.Lines[:min(maxSaid, len(f.Lines))], f.All}
}

// claims has the line of everything that may exist only once, by a digest of its key. The keys themselves might not fit
// into memory.
type claims map[[16]byte]int

// claim notes that a line is about the item with a key. When an earlier line is about the same one, it adds a fault and
// returns false.
func (c claims) claim(f *Faults, line int, k table.Key, what string) bool {
	sum := sha256.Sum256([]byte(k.PK + "\x00" + k.SK))
	// With 128 bits, two of a million keys have the same digest with a probability of about 10^-27.
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

// category is what is also kept of a category.
type category struct {
	record
	place  int   // its portal's
	parent id.ID // id in the file; 0 means none
}

// contents are the portals, users and categories of a file, which other lines name.
type contents struct {
	places  []table.Portal // every portal that a line names
	placeAt map[table.Portal]int
	portals map[int]portalLine // the portals that the file has, by their places

	users      []record
	userAt     map[id.ID]int
	categories []category
	categoryAt map[categoryKey]int
}

type portalLine struct {
	transfer.Position
	of     portal.Portal
	faulty bool // no more faults are reported for what is in it
}

// categoryKey identifies a category in a file.
type categoryKey struct {
	place int
	id    id.ID
}

// readContents reads the file for the first time, and checks the rules for portals and users.
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
			c.addFaulty(at, read)
			return nil
		}
		switch of := read.(type) {
		case transfer.Portal:
			c.addPortal(f, taken, at, of)
		case transfer.User:
			c.addUser(f, taken, at, of)
		case transfer.Category:
			c.addCategory(f, at, of)
		// A member may name a portal that only the table has. findDestinations must read that, too.
		case transfer.Member:
			c.place(of.Account, of.Portal)
		}
		return nil
	})
}

// addFaulty keeps what other lines may name of a record with a fault: they do not lack it.
func (c *contents) addFaulty(at transfer.Position, read transfer.Record) {
	none := &Faults{} // the fault of the line is told already
	switch of := read.(type) {
	case transfer.Portal:
		if of.Account != 0 && of.Slug != "" {
			c.portals[c.place(of.Account, of.Slug)] = portalLine{faulty: true}
		}
	case transfer.User:
		c.keepUser(none, at, of.ID)
	case transfer.Category:
		if of.Account != 0 && of.Portal != "" {
			c.addCategory(none, at, of)
		}
	}
}

// place returns the index in places of a portal that a line names.
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
		// Faults of its categories would mostly follow from this one.
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
	c.keepUser(f, at, of.ID)
}

// keepUser keeps where a user is. Ids of a file only connect its lines, so each may stand for one user only.
func (c *contents) keepUser(f *Faults, at transfer.Position, user id.ID) {
	if _, twice := c.userAt[user]; twice {
		f.add(at.Line, "the file has user %d twice", user)
		return
	}
	c.userAt[user] = len(c.users)
	c.users = append(c.users, record{at, user})
}

// addCategory keeps a category under its place and id, because categories of different portals may have equal ids.
func (c *contents) addCategory(f *Faults, at transfer.Position, of transfer.Category) {
	key := categoryKey{c.place(of.Account, of.Portal), of.ID}
	if _, twice := c.categoryAt[key]; twice {
		f.add(at.Line, "the file has category %d of %s twice", of.ID, c.places[key.place])
		return
	}
	c.categoryAt[key] = len(c.categories)
	c.categories = append(c.categories, category{record{at, of.ID}, key.place, of.Parent})
}

// depths counts how many categories are above each. Categories that are above themselves are faults. Parents may follow
// their sub-categories in the file, so it walks up from each category to the first one that is known.
func (c contents) depths(f *Faults) []int {
	// The states of a depth-first search: not visited, on the present path, and leading into a circle.
	const unknown, within, circular = -1, -2, -3
	depths := slices.Repeat([]int{unknown}, len(c.categories))
	for i := range depths {
		path, depth := []int(nil), 0 // the unknown ones from i upwards; how many are above the last of them
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
		// From the topmost category of the path downwards.
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
	there *portal.Portal // nil when it does not exist
	after portal.Portal  // as it will be after the import
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
			// The record exists, but is marked.
			if !found && items[p.Key()] != nil {
				return nil, fmt.Errorf("%s is being deleted: frontdesk portal delete goes on with it", p)
			}
			// len(all) is the index of this place.
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

// updated returns a portal with the fields that the file has of it.
func updated(there, of portal.Portal) portal.Portal {
	after := there
	after.Name, after.Locales, after.DefaultLocale, after.Public = of.Name, of.Locales, of.DefaultLocale, of.Public
	after.FormerLocales = slices.Concat(there.Locales, there.FormerLocales)
	return after
}

func imported(of transfer.User) user.Imported {
	return user.Imported{
		Name: of.Name, Email: of.Email, CustomAttributes: of.CustomAttributes, PasswordHash: of.PasswordHash,
		OwnPasswordHash: of.OwnPasswordHash, CreatedAt: of.CreatedAt, UpdatedAt: of.UpdatedAt,
	}
}
