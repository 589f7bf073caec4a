package importing

import (
	"context"
	"fmt"
	"io"

	"frontdesk/internal/id"
	"frontdesk/internal/mail/unsubscribe"
	"frontdesk/internal/table"
	"frontdesk/internal/transfer"
)

// checking is the second reading of a file, when all its lines are known.
type checking struct {
	contents
	destinations []destination
	options      Options
	taken        claims
	faults       *Faults
	newest       id.ID // the largest id that the clock has reached
	exists       func(table.Key) (bool, error)
}

// check reads the file for the second time, and checks the rules that depend on other lines and on the table. It
// returns the members, links and unsubscribes, which no line names.
func check(
	ctx context.Context, t table.Table, file File, o Options, found contents, destinations []destination, f *Faults,
) (map[transfer.Kind][]record, error) {
	c := checking{
		contents: found, destinations: destinations, options: o, taken: claims{}, faults: f, newest: id.New(),
		exists: remembered(func(k table.Key) (bool, error) {
			items, err := t.Read(ctx, k)
			return len(items) > 0, err
		}),
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	others := map[transfer.Kind][]record{}
	return others, transfer.Read(file, func(at transfer.Position, read transfer.Record, err error) error {
		if err != nil {
			return nil // the first reading has reported it
		}
		// of chooses the lane. Records of one user share it; unsubscribes are spread by their lines.
		good, of, err := false, id.ID(at.Line), error(nil)
		switch r := read.(type) {
		case transfer.Category:
			c.checkCategory(at.Line, r)
		case transfer.Member:
			good, err = c.checkMember(at.Line, r)
			of = r.User
		case transfer.Link:
			good, err = c.checkLink(at.Line, r)
			of = r.User
		case transfer.Unsubscribe:
			good, err = c.checkUnsubscribe(at.Line, r)
		}
		if good {
			others[read.Kind()] = append(others[read.Kind()], record{at, of})
		}
		return err
	})
}

// remembered asks once about each key. Lines name only a few different ones.
func remembered(ask func(table.Key) (bool, error)) func(table.Key) (bool, error) {
	known := map[table.Key]bool{}
	return func(k table.Key) (bool, error) {
		there, asked := known[k]
		if asked {
			return there, nil
		}
		there, err := ask(k)
		known[k] = there
		return there, err
	}
}

// checkPlace returns false when a line names a portal that is neither in the file nor in the table.
func (c *checking) checkPlace(line, place int) bool {
	of, inFile := c.portals[place]
	if !inFile && c.destinations[place].there == nil {
		c.faults.add(line, "there is no %s in the file or in the table", c.places[place])
		return false
	}
	return !of.faulty
}

// checkUser returns false when the file does not have a user that a line names. Ids mean nothing outside their file.
func (c *checking) checkUser(line int, user id.ID) bool {
	_, there := c.userAt[user]
	if !there {
		c.faults.add(line, "the file has no user %d", user)
	}
	return there
}

// checkCategory checks a category against the API's rules, and that its slug is its own.
func (c *checking) checkCategory(line int, of transfer.Category) {
	place := c.place(of.Account, of.Portal)
	// The first reading has reported a second line with the same id.
	isTwice := c.categories[c.categoryAt[categoryKey{place, of.ID}]].Line != line
	if isTwice || !c.checkPlace(line, place) {
		return
	}
	if c.options.KeepIDs && of.ID > c.newest {
		c.faults.add(line, "the id %d is from the future: another category would get it one day", of.ID)
	}
	after := c.destinations[place].after
	of = normal(of, after)
	err := fieldsOf(of).Check(of.ID, offering(after), func(other id.ID) bool {
		_, there := c.categoryAt[categoryKey{place, other}]
		return there
	})
	if err != nil {
		c.faults.add(line, "%s", err)
		return
	}
	what := fmt.Sprintf("the slug %s in the locale %s", of.Slug, of.Locale)
	c.taken.claim(c.faults, line, c.places[place].SlugOwner(of.Locale, of.Slug), what)
}

// checkMember checks what a membership names, and that no line before says the same.
func (c *checking) checkMember(line int, of transfer.Member) (good bool, err error) {
	place := c.place(of.Account, of.Portal)
	if !c.checkPlace(line, place) || !c.checkUser(line, of.User) {
		return false, nil
	}
	if of.App != 0 {
		if there, err := c.checkApp(line, of.App); !there || err != nil {
			return false, err
		}
	}
	what := fmt.Sprintf("the membership of user %d in %s", of.User, c.places[place])
	return c.taken.claim(c.faults, line, c.places[place].Member(of.User), what), nil
}

// checkApp returns false when an app does not exist here.
func (c *checking) checkApp(line int, app id.ID) (there bool, err error) {
	here := mapped(c.options.Apps, app)
	there, err = c.exists(table.App(here))
	if err == nil && !there {
		c.faults.add(line, "there is no platform app %d here: --app OLD=NEW says which one takes its place", here)
	}
	return there, err
}

// checkLink checks what a link names, and that no line before says the same.
func (c *checking) checkLink(line int, of transfer.Link) (good bool, err error) {
	there, err := c.checkApp(line, of.App)
	if err != nil || !c.checkUser(line, of.User) || !there {
		return false, err
	}
	what := fmt.Sprintf("the link of app %d to user %d", of.App, of.User)
	key := table.PermissibleLink(mapped(c.options.Apps, of.App), of.User)
	return c.taken.claim(c.faults, line, key, what), nil
}

// checkUnsubscribe checks an unsubscribe against the rules of package unsubscribe, with the mail key of this table.
func (c *checking) checkUnsubscribe(line int, of transfer.Unsubscribe) (good bool, err error) {
	i := c.options.unsubscribe(of)
	there, err := c.exists(table.MailKey(i.MailKey))
	if err != nil {
		return false, err
	}
	s, wrong := i.Check()
	switch {
	case !there:
		c.faults.add(line, "there is no mail key %d here: --mail-key OLD=NEW says which one takes its place", i.MailKey)
		return false, nil
	case wrong != nil:
		c.faults.add(line, "%s", wrong)
		return false, nil
	}
	return c.taken.claim(c.faults, line, s.Key(), "the unsubscribe of "+of.Email), nil
}

// mapped returns the id here for an id of the file.
func mapped(to map[id.ID]id.ID, of id.ID) id.ID {
	if here, ok := to[of]; ok {
		return here
	}
	return of
}

// unsubscribe returns an unsubscribe of the file with the mail key of this table.
func (o Options) unsubscribe(of transfer.Unsubscribe) unsubscribe.Imported {
	return unsubscribe.Imported{
		MailKey: mapped(o.MailKeys, of.MailKey), List: of.List, Email: of.Email, By: unsubscribe.By(of.By), At: of.At,
	}
}
