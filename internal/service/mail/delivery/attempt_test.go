package delivery

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"
)

// TestAWriteThatComesLateChangesNothing: a record never goes back to an older state. Otherwise a group for which SES
// was asked would look pending, and its recipients would get the mail twice.
func TestAWriteThatComesLateChangesNothing(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := localtest.Start(t)
		db := table.Open(stack.Operator(), stack.Environ()["TABLE_NAME"])
		key, ctx := mailkey.Key{ID: 1}, t.Context()
		at := RecordKey(key.ID, "k")
		stored := func() *record {
			t.Helper()
			items, err := db.Read(ctx, at)
			if err != nil {
				t.Fatal(err)
			}
			earlier, err := ReadEarlierRequests(items, at, nil)
			if err != nil || earlier.record == nil {
				t.Fatal(earlier, err)
			}
			return earlier.record
		}
		aAndB := Envelope{To: []string{"a@example.org", "b@example.org"}, Separate: true}
		// attempt is one of a request that has read a record.
		attempt := func(previous *record) *attempt {
			return Service{Table: db}.attempt(ctx, Mail{
				Key: key, Start: time.Now(), Earlier: EarlierRequests{at: at, record: previous}, Envelope: aAndB,
			})
		}

		first := attempt(nil)
		if err := first.claim(ctx, nil); err != nil {
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
		err := late.write(ctx, again)
		mustNotChange("the claim", err, late.claimed)
		other := attempt(nil)
		err = other.claim(ctx, nil)
		mustNotChange("another request's claim", err, other.writer.claimed)

		before := stored()
		before.Lease = time.Time{} // the first attempt's process has ended
		// The same recipients in another order are other groups, as after a change of how a mail is split: an index
		// means nothing.
		bAndA := Envelope{To: []string{"b@example.org", "a@example.org"}, Separate: true}
		prepare := func(context.Context) (Messages, []string, error) {
			t.Error("a mail with other groups is prepared")
			return nil, nil, nil
		}
		otherwise := Service{Table: db}.Deliver(ctx, Mail{
			Key: key, Start: time.Now(), Earlier: EarlierRequests{at: at, record: before}, Envelope: bAndA,
		}, prepare)
		if !errors.Is(otherwise.Err, errSplit) || stored().Version != before.Version {
			t.Errorf("a mail with other groups: error %v, want %v", otherwise.Err, errSplit)
		}

		stale := *before
		stale.Version-- // read before the last write of the first attempt
		if err := attempt(&stale).claim(ctx, nil); !errors.Is(err, errInUse) {
			t.Errorf("an attempt that has read an older version: error %v, want %v", err, errInUse)
		}

		// Two attempts take over, and only one succeeds. The first attempt has lost its record, and can begin no
		// further group.
		second, comesLate := attempt(before), attempt(before)
		if err := second.claim(ctx, nil); err != nil {
			t.Fatal(err)
		}
		if pending, _ := second.progress.pending(); !slices.Equal(pending, []int{1}) {
			t.Errorf("pending %v, want the group that was not begun", pending)
		}
		if err := comesLate.claim(ctx, nil); !errors.Is(err, errInUse) {
			t.Errorf("the other attempt: error %v, want %v", err, errInUse)
		}
		if err := first.begin(ctx, []int{1}); !errors.Is(err, errInUse) {
			t.Errorf("the first attempt: error %v, want %v", err, errInUse)
		}
		if pending, _ := first.progress.pending(); !slices.Equal(pending, []int{1}) {
			t.Errorf("pending %v, want the group that was not begun", pending)
		}
	})
}
