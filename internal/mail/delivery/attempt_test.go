package delivery

import (
	"errors"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/local"
	"frontdesk/internal/local/localtest"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/table"
)

// TestAWriteThatComesLateChangesNothing: a record never goes back to an older state. Otherwise a group for which SES
// was asked would look pending, and its recipients would get the mail twice.
func TestAWriteThatComesLateChangesNothing(t *testing.T) {
	stack := localtest.Start(t, func(o *local.Options) { o.Builds = t.TempDir() }) // no function is called
	db := table.Open(stack.Operator(), stack.Environ()["TABLE_NAME"])
	key, ctx := mailkey.Key{ID: 1}, t.Context()
	at := RecordKey(key.ID, "k")
	stored := func() *record {
		t.Helper()
		items, err := db.Read(ctx, at)
		if err != nil {
			t.Fatal(err)
		}
		earlier, err := ReadEarlier(items, at)
		if err != nil || earlier.record == nil {
			t.Fatal(earlier, err)
		}
		return earlier.record
	}
	attempt := func(previous *record) *Attempt {
		t.Helper()
		a, _, err := Attempts{Table: db}.Resume(ctx, time.Now(), key, Earlier{at, previous}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	aAndB := Envelope{To: []string{"a@example.org", "b@example.org"}, Separate: true}
	bAndA := Envelope{To: []string{"b@example.org", "a@example.org"}, Separate: true}
	// claim addresses a mail and claims it at once. It returns the mail also if the claim fails.
	claim := func(a *Attempt, e Envelope) (*mail, error) {
		t.Helper()
		pending, result := a.Address(ctx, e, true)
		if pending == nil {
			return result.mail, result.cause
		}
		return pending.mail, nil
	}

	first, err := claim(attempt(nil), aAndB)
	if err != nil {
		t.Fatal(err)
	}
	late := *first.writer // as the mail was claimed
	if err := first.begin(ctx, []int{0}); err != nil {
		t.Fatal(err)
	}
	// The claim's write arrives once more, after the first group was begun.
	late.version--
	late.claimed = false
	again := first.current()
	again.Groups = nil
	mustNotChange := func(name string, err error, claimed bool) {
		t.Helper()
		if !errors.Is(err, errInUse) {
			t.Errorf("%s, late: error %v, want %v", name, err, errInUse)
		}
		if claimed {
			t.Errorf("%s, late, has claimed the mail", name)
		}
		now := stored()
		if now.Version != 2 || now.Holder != first.writer.holder {
			t.Errorf("%s, late, changed the record: version %d of %s, want 2 of %s",
				name, now.Version, now.Holder, first.writer.holder)
		}
		if now.State != sending || len(now.Groups) != 1 {
			t.Errorf("%s, late, changed the record: state %s with %d groups, want %s with 1",
				name, now.State, len(now.Groups), sending)
		}
	}
	err = late.write(ctx, again)
	mustNotChange("the claim", err, late.claimed)
	other, err := claim(attempt(nil), aAndB)
	mustNotChange("another request's claim", err, other.writer.claimed)

	// The same recipients in another order are other groups, as after a change of how a mail is split: an index
	// means nothing.
	before := stored()
	before.Lease = time.Time{} // the first attempt's process has ended
	if otherwise, err := claim(attempt(before), bAndA); !errors.Is(err, errSplit) || otherwise.writer.claimed {
		t.Errorf("a claim with other groups: error %v, want %v", err, errSplit)
	}

	stale := *before
	stale.Version-- // read before the last write of the first attempt
	if _, err := claim(attempt(&stale), aAndB); !errors.Is(err, errInUse) {
		t.Errorf("an attempt that has read an older version: error %v, want %v", err, errInUse)
	}

	// Two attempts take over, and only one succeeds. The first attempt has lost its record, and can begin no
	// further group.
	takesOver, comesLate := attempt(before), attempt(before)
	second, err := claim(takesOver, aAndB)
	if err != nil {
		t.Fatal(err)
	}
	if pending, _ := second.progress.pending(); !slices.Equal(pending, []int{1}) {
		t.Errorf("pending %v, want the group that was not begun", pending)
	}
	if _, err := claim(comesLate, aAndB); !errors.Is(err, errInUse) {
		t.Errorf("the other attempt: error %v, want %v", err, errInUse)
	}
	if err := first.begin(ctx, []int{1}); !errors.Is(err, errInUse) {
		t.Errorf("the first attempt: error %v, want %v", err, errInUse)
	}
	if pending, _ := first.progress.pending(); !slices.Equal(pending, []int{1}) {
		t.Errorf("pending %v, want the group that was not begun", pending)
	}
}
