package delivery

import (
	"errors"
	"testing"
	"time"

	"frontdesk/internal/local"
	"frontdesk/internal/local/localtest"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/table"
)

// TestAWriteThatComesLateChangesNothing: a record never goes back to what it said before, as that could make a
// group of recipients one that was never begun.
func TestAWriteThatComesLateChangesNothing(t *testing.T) {
	stack := localtest.Start(t, func(o *local.Options) { o.Builds = t.TempDir() }) // no function is called
	db := table.Open(stack.Operator(), stack.Environ()["TABLE_NAME"])
	key, ctx := mailkey.Key{ID: 1}, t.Context()
	at := RecordKey(key.ID, "k")
	groups := []Envelope{{To: []string{"a@example.org"}}, {To: []string{"b@example.org"}}}
	stored := func() *record {
		t.Helper()
		items, err := db.Read(ctx, at)
		if err != nil {
			t.Fatal(err)
		}
		var r record
		if found, err := items.Get(at, &r); err != nil || !found {
			t.Fatal(found, err)
		}
		return &r
	}

	attempt := func(previous *record) *Attempt {
		t.Helper()
		a, err := Attempts{Table: db}.New(time.Now(), key, "k", nil)
		if err != nil {
			t.Fatal(err)
		}
		a.writer.previous = previous
		a.resume(ctx, nil)
		return a
	}

	claim := func(a *Attempt, groups []Envelope) error {
		if err := a.address(groups); err != nil {
			return err
		}
		return a.Claim(ctx)
	}

	first := attempt(nil)
	if err := claim(first, groups); err != nil {
		t.Fatal(err)
	}
	late := first.writer // as the mail was claimed
	if err := first.beginMore(ctx, []int{0}); err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*Attempt{
		"the claim": {
			record: record{Key: at, Lease: first.record.Lease, ExpiresAt: first.record.ExpiresAt},
			writer: recordWriter{table: db, holder: late.holder, version: late.version - 1},
		},
		"another request's claim": attempt(nil),
	} {
		if err := claim(r, groups); !errors.Is(err, errInUse) || r.writer.claimed {
			t.Errorf("%s, late: %v", name, err)
		}
		if now := stored(); now.Version != 2 || len(now.Groups) != 1 || now.State != sending ||
			now.Holder != first.writer.holder {
			t.Errorf("%s, late, changed the record: %+v", name, now)
		}
	}

	// An index means nothing where the groups are others, as after a change of how a mail is split.
	otherwise := attempt(stored())
	if err := claim(otherwise, []Envelope{groups[1], groups[0]}); err == nil || otherwise.writer.claimed {
		t.Errorf("a claim with other groups: %v", err)
	}

	// Of two attempts that take over, one does; and the first attempt, which has lost its record, begins nothing more.
	before := stored()
	second, third := attempt(before), attempt(before)
	if err := claim(second, groups); err != nil {
		t.Fatal(err)
	}
	if pending, _ := second.pending(); len(pending) != 1 || pending[0] != 1 {
		t.Errorf("pending %v, want the group that was not begun", pending)
	}
	for name, err := range map[string]error{
		"the other attempt": claim(third, groups), "the first attempt": first.beginMore(ctx, []int{1}),
	} {
		if !errors.Is(err, errInUse) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if pending, _ := first.pending(); len(pending) != 1 {
		t.Errorf("a group that was not begun is not pending: %v", pending)
	}
}
