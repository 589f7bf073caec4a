// Package exporting writes portals, users and what belongs to them from a table, in the format of package transfer.
package exporting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/transfer"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/user"
)

// Selection says what to write: a portal, by its account and slug; the portals of an account; the users of an app; or
// all. Portals come with the users who are their members.
type Selection struct {
	Account id.ID
	Slug    string
	App     id.ID
	All     bool
}

// Options say how to write it.
type Options struct {
	PasswordHashes bool // write the hashes of the users' passwords, too
	// Progress, unless it is nil, is called with the number of written records, by one goroutine at a time.
	Progress func(records int64)
}

// Report says what was written.
type Report struct {
	Records map[transfer.RecordKind]int
	// Changed are the portals that were changed at every reading. Their records may not be of one moment.
	Changed []transfer.ChangedPortal
	// Deleted are users who were deleted meanwhile, but whom written records name.
	Deleted []id.ID
}

// Run writes what is selected. A file that it has not finished does not say that it is whole.
func Run(ctx context.Context, t table.Table, s Selection, to io.Writer, o Options) (Report, error) {
	// The time in the first line is from before the first read: everything in the file is at least as new.
	began := time.Now().UTC().Truncate(time.Second)
	portals, err := selectPortals(ctx, t, s)
	if err != nil {
		return Report{}, err
	}
	if s.App != 0 {
		if err := checkApp(ctx, t, s.App); err != nil {
			return Report{}, err
		}
	}
	w, err := transfer.NewWriter(to, began)
	if err != nil {
		return Report{}, err
	}
	r := &run{table: t, options: o, writer: w, named: map[id.ID]bool{}}
	r.report.Records = map[transfer.RecordKind]int{}
	for _, key := range portals {
		if err := r.writePortal(ctx, key); err != nil {
			return r.report, fmt.Errorf("%s: %w", key, err)
		}
	}
	if s.All {
		err = r.scan(ctx)
	} else if s.App != 0 {
		err = r.writeLinks(ctx, s.App)
	}
	if err != nil {
		return r.report, err
	}
	if err := r.writeNamed(ctx); err != nil {
		return r.report, err
	}
	r.report.Deleted = r.unwritten()
	return r.report, w.End(r.report.Changed)
}

// selectPortals returns the portals to write.
func selectPortals(ctx context.Context, t table.Table, s Selection) (keys []table.Portal, err error) {
	switch {
	case s.App != 0:
		return nil, nil
	case s.Slug != "":
		return []table.Portal{{Account: s.Account, Slug: s.Slug}}, nil
	}
	portals, err := portal.Store{Table: t}.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range portals {
		if !p.Deleting && (s.All || p.Account == s.Account) {
			keys = append(keys, p.Key())
		}
	}
	// An account with no portal is more likely a typing error than an empty export.
	if len(keys) == 0 && !s.All {
		return nil, fmt.Errorf("account %d has no portal", s.Account)
	}
	return keys, nil
}

func checkApp(ctx context.Context, t table.Table, app id.ID) error {
	items, err := t.Read(ctx, table.App(app))
	if err == nil && len(items) == 0 {
		err = fmt.Errorf("there is no platform app %d", app)
	}
	return err
}

type run struct {
	table   table.Table
	options Options

	mu     sync.Mutex
	writer *transfer.Writer
	named  map[id.ID]bool // users whom records name; true once they are written
	report Report
}

// write writes a record. Several goroutines may call it at the same time.
func (r *run) write(record transfer.Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.writer.Write(record); err != nil {
		return fmt.Errorf("write the export: %w", err)
	}
	for _, named := range record.NamedUsers() {
		if user, _ := named.Number(); !r.named[user] {
			r.named[user] = false
		}
	}
	if u, is := record.(transfer.User); is {
		user, _ := u.ID.Number()
		r.named[user] = true
	}
	r.report.Records[record.Kind()]++
	if r.options.Progress != nil {
		var all int64
		for _, n := range r.report.Records {
			all += int64(n)
		}
		r.options.Progress(all)
	}
	return nil
}

// unwritten returns the users who are named but not written, sorted.
func (r *run) unwritten() (ids []id.ID) {
	for user, written := range r.named {
		if !written {
			ids = append(ids, user)
		}
	}
	slices.Sort(ids)
	return ids
}

// errMoved is for a user whose e-mail address has changed between every two reads.
var errMoved = errors.New("its e-mail address has changed at every attempt: please try again")

// userRecord returns the record of a user.
func userRecord(u user.User, hash string) (transfer.User, error) {
	attributes, err := u.CustomAttributes.MarshalJSON()
	// The empty object is left out.
	if u.CustomAttributes == "" {
		attributes = nil
	}
	own, foreign := user.HashParts(hash)
	return transfer.User{
		ID: transfer.IDOf(u.ID), Name: u.Name, Email: u.Email, CustomAttributes: attributes, PasswordHash: foreign,
		OwnPasswordHash: own, CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt,
	}, err
}
