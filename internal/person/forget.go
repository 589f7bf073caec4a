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

// Forgetting takes a person's address out of the table, in steps that can all be repeated:
//
//  1. Note for each mail key that the person was forgotten. From then on, the functions write an alias in place of the
//     address when an event of an earlier mail comes, or when somebody uses a link in one.
//  2. Wait until requests have ended that have not read this note.
//  3. Delete the user, if that is asked for.
//  4. Scan the table, and take the address out of each item that has it.
//
// The note does not have the address itself, only a digest under the secret of the mail key. When a table from a backup
// is reopened, it is scanned for everybody who has a note.

// UnderWay is how long a request may run that has not read a note: the longest time-out of a function in template.yaml,
// and a second more.
const UnderWay = 30 * time.Second

// later is how long after the forgetting a mail still counts as sent before. Clocks differ, and the mail of a request
// under way is sent within a minute.
const later = 5 * time.Minute

// Options are how a person is forgotten.
type Options struct {
	User     bool                // delete the user, too
	UnderWay time.Duration       // how long a request under way may take
	Waiting  func(time.Duration) // called with how long it waits for these
	Progress func(done int64)    // called with the number of scanned items
}

// Report is what a forgetting has done.
type Report struct {
	Changed map[string]int // items from which the address was taken, by kind
	Deleted id.ID          // the deleted user; 0 means none
	Left    []Left         // what still has the address
}

// Left is an item that still has the address.
type Left struct {
	Kind string `json:"kind"`
	Key  string `json:"key"`
	Why  string `json:"why"`
}

// Note does the first two steps of a forgetting.
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

// Forget does the other steps. Call it after [Note] has returned.
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

// Repeat takes everybody out of the table who is noted as forgotten in it. It returns the number of changed items by
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

// erasure takes the addresses of forgotten people out of items.
type erasure struct {
	table  table.Table
	keys   map[string]mailkey.Key // by their ids, as keys of the table write them
	report *Report
	stored *Person // items that keep this person's address are reported; nil reports none
	// forgotten reports whether an address in its normal form was forgotten for a mail key, anywhere whether it was for
	// any mail key.
	forgotten func(key mailkey.Key, normal string) bool
	anywhere  func(normal string) bool
}

// in reports whether a text has the address of somebody who is forgotten.
func (e *erasure) in(text string) bool {
	for _, normal := range mailkey.Mentioned(text) {
		if e.anywhere(normal) {
			return true
		}
	}
	return false
}

// item takes the addresses of forgotten people out of an item. It reports the item when it still has an
// address afterwards.
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
			why = "it has a longer address that ends like this one; or it cannot be read, or its mail key cannot: " +
				"see frontdesk check"
		}
		e.report.Left = append(e.report.Left, Left{k.Kind(), k.String(), why})
	}
	return nil
}

// readKeys reads the mail keys, by their ids as keys of the table write them.
func readKeys(ctx context.Context, t table.Table) (map[string]mailkey.Key, error) {
	keys, err := mailkey.Keys{Table: t}.List(ctx)
	if err != nil {
		return nil, err
	}
	byID := map[string]mailkey.Key{}
	for _, key := range keys {
		if key.Secret == nil && key.Forgets {
			return nil, errors.New("a mail key with forgotten people has no secret")
		}
		byID[key.ID.Key()] = key
	}
	return byID, nil
}
