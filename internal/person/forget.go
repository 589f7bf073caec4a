package person

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/table"
	"frontdesk/internal/user"

	"github.com/guregu/dynamo/v2"
)

// Forgetting takes a person's address out of the table, in steps that may each be done again:
//
//  1. Note for each mail key that the person was forgotten. From then on what comes of a mail that was sent before, and
//     of a link in one, is written without the address.
//  2. Wait until requests that have not read that note have ended.
//  3. Delete the user, where that is asked for.
//  4. Scan the table, and take the address out of each item that has it.
//
// The note has no address: it is a digest under the secret of the mail key. A reopened table, which has what a backup
// brought back, is scanned for whoever has a note.

// UnderWay is how long a request may take that has not read a note: the longest time-out of a function in
// template.yaml, and a second.
const UnderWay = 30 * time.Second

// later is for how long after the forgetting a mail counts as sent before: clocks differ, and a mail whose request is
// under way is sent within a minute.
const later = 5 * time.Minute

// Options are how a person is forgotten.
type Options struct {
	User     bool                // the user goes, too
	UnderWay time.Duration       // how long a request may take that is under way
	Waiting  func(time.Duration) // is told how long it waits for those
	Progress func(done int64)    // is told how many items were scanned
}

// Report is what was done.
type Report struct {
	Changed map[string]int // items from which the address was taken, by kind
	Deleted id.ID          // the user, 0 for none
	Left    []Left         // what still has the address
}

// Left is an item that still has the address.
type Left struct {
	Kind string `json:"kind"`
	Key  string `json:"key"`
	Why  string `json:"why"`
}

// Note is the first step of a forgetting, and the second.
func Note(ctx context.Context, t table.Table, p Person, o Options) error {
	keys, err := readKeys(ctx, t)
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	var last time.Time
	for _, key := range keys {
		noted, err := mailkey.Keys{Table: t}.Forget(ctx, key.ID, p.Address, now, now.Add(later))
		if err != nil {
			return err
		}
		if noted.NotedAt.After(last) {
			last = noted.NotedAt
		}
	}
	left := time.Until(last.Add(o.UnderWay))
	if left <= 0 {
		return nil
	}
	o.Waiting(left)
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(left):
		return nil
	}
}

// Forget is the other steps, once [Note] has ended.
func Forget(ctx context.Context, t table.Table, p Person, o Options) (Report, error) {
	r := Report{Changed: map[string]int{}, Left: []Left{}}
	keys, err := readKeys(ctx, t)
	if err != nil {
		return r, err
	}
	if o.User && p.User != 0 {
		if _, err := (&user.Service{Table: t}).Delete(ctx, p.User); err != nil {
			return r, err
		}
		r.Deleted = p.User
	}
	e := &erasure{
		table: t, keys: keys, report: &r, stored: &p,
		forgotten: func(_ mailkey.Key, normal string) bool { return normal == p.Address },
		anywhere:  func(normal string) bool { return normal == p.Address },
	}
	return r, scan(ctx, t, o.Progress, func(item dynamo.Item) error {
		if !p.inItem(item) {
			return nil
		}
		return e.item(ctx, item)
	})
}

// Repeat takes everybody out of the table who is noted as forgotten in it, and counts the items that it has changed, by
// kind. It is for a table that came from a backup.
func Repeat(ctx context.Context, t table.Table, progress func(done int64)) (map[string]int, error) {
	r := Report{Changed: map[string]int{}}
	keys, err := readKeys(ctx, t)
	if err != nil {
		return nil, err
	}
	noted := map[id.ID]map[string]mailkey.Forgotten{}
	for _, key := range keys {
		if !key.Forgets {
			continue
		}
		noted[key.ID], err = mailkey.Keys{Table: t}.Forgettings(ctx, key.ID)
		if err != nil {
			return nil, err
		}
	}
	if len(noted) == 0 {
		return r.Changed, nil
	}
	e := &erasure{table: t, keys: keys, report: &r}
	e.forgotten = func(key mailkey.Key, normal string) bool {
		alias := strings.TrimPrefix(key.RecordOf(normal).SK, table.Forgettings)
		_, is := noted[key.ID][alias]
		return is
	}
	e.anywhere = func(normal string) bool {
		for _, key := range keys {
			if e.forgotten(key, normal) {
				return true
			}
		}
		return false
	}
	return r.Changed, scan(ctx, t, progress, func(item dynamo.Item) error { return e.item(ctx, item) })
}

// erasure takes those out of items who are forgotten.
type erasure struct {
	table  table.Table
	keys   map[string]mailkey.Key // by their ids as they stand in keys of the table
	report *Report
	stored *Person // whose address it is reported of where it stays; nil for nobody's
	// forgotten reports whether an address in its normal form was forgotten for a mail key, and anywhere for any.
	forgotten func(key mailkey.Key, normal string) bool
	anywhere  func(normal string) bool
}

// in reports whether somebody stands in a text who is forgotten.
func (e *erasure) in(text string) bool {
	for _, normal := range mailkey.Mentioned(text) {
		if e.anywhere(normal) {
			return true
		}
	}
	return false
}

// item takes those out of an item who are forgotten, and reports the item if it still has an address then.
func (e *erasure) item(ctx context.Context, item dynamo.Item) error {
	k := table.KeyOf(item)
	of := kinds[k.Kind()]
	if of.erase != nil {
		changed, err := of.erase(ctx, e, item)
		if _, damaged := errors.AsType[table.Damage](err); err != nil && !damaged {
			return fmt.Errorf("%s: %w", k, err)
		}
		if changed {
			e.report.Changed[k.Kind()]++
		}
	}
	if e.stored == nil {
		return nil
	}
	items, err := e.table.Read(ctx, k)
	if err != nil {
		return err
	}
	if items[k] != nil && e.stored.inItem(items[k]) {
		why := of.stays
		if why == "" {
			why = "it cannot be read, or its mail key cannot: see frontdesk check"
		}
		e.report.Left = append(e.report.Left, Left{k.Kind(), k.String(), why})
	}
	return nil
}

// readKeys reads the mail keys, by their ids as they stand in keys of the table.
func readKeys(ctx context.Context, t table.Table) (map[string]mailkey.Key, error) {
	keys, err := mailkey.Keys{Table: t}.List(ctx)
	if err != nil {
		return nil, err
	}
	byID := map[string]mailkey.Key{}
	for _, key := range keys {
		if key.Secret == nil && key.Forgets {
			return nil, errors.New("a mail key that forgot people has no secret")
		}
		byID[key.ID.Key()] = key
	}
	return byID, nil
}
