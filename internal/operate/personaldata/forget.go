package personaldata

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/user"
)

// Options are how a person is forgotten.
type Options struct {
	User         bool             // delete the user, too
	Unsubscribes bool             // delete the unsubscribes, too: mails may begin again
	Progress     func(done int64) // called with the number of scanned items
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

// Forget takes a person's address out of the table: first the user, if that is asked for, then what each kind of item
// has of it (see [table.Privacy]). Calls that are under way, and events of SES that come later, may bring the address
// back into the log of mails; a second Forget takes it out.
func Forget(ctx context.Context, t table.Table, kinds table.Registry, p Person, o Options) (Report, error) {
	r := Report{Changed: map[string]int{}, Left: []Left{}}
	if o.User {
		var err error
		r.Deleted, err = (&user.Service{Table: t}).DeleteOwner(ctx, p.Address)
		if err != nil {
			return r, err
		}
	}
	who := table.Person{Address: p.Address, NamedIn: p.NamedIn, Redact: p.redact, Unsubscribes: o.Unsubscribes}
	var mu sync.Mutex
	err := scan(ctx, t, kinds, o.Progress, func(s table.Stored) error {
		if !p.namedInItem(s.Raw) {
			return nil
		}
		changed := false
		if s.Kind.Forget != nil {
			var err error
			changed, err = s.Kind.Forget(ctx, t, s, who)
			if _, damaged := errors.AsType[table.Damage](err); err != nil && !damaged {
				return fmt.Errorf("%s: %w", s.Key, err)
			}
		}
		items, err := t.Read(ctx, s.Key)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if changed {
			r.Changed[s.Key.Kind()]++
		}
		if now := items[s.Key]; now != nil && p.namedInItem(now) {
			r.Left = append(r.Left, Left{s.Key.Kind(), s.Key.String(), why(s)})
		}
		return nil
	})
	return r, err
}

// why says why an item still has an address.
func why(s table.Stored) string {
	switch {
	case s.Damage != "":
		return s.Damage + ": see frontdesk check"
	case s.Kind.Retained != "":
		return s.Kind.Retained
	}
	return "it has a longer address that ends like this one"
}
