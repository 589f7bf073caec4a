// Package attempts limits how often a password is tried for an e-mail address, from one network and from all networks
// together. The limits hold however many attempts come at once, to however many processes.
package attempts

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/base/table"

	"github.com/guregu/dynamo/v2"
)

// While this many failed sign-ins for an e-mail address are younger than Window, no password is compared for it: after
// MaxFromNetwork failures of one network for clients of that network, after Max failures of anybody for all clients.
// The two bounds differ, so that a stranger who uses up the failures of one network does not lock the user out.
const (
	MaxFromNetwork = 10
	Max            = 25
	Window         = 15 * time.Minute
)

// Attempt is a sign-in for an e-mail address, whether a user has the address or not. It counts as failed before
// anything is compared, and is taken back when it succeeds. So the limits also hold for attempts at the same time.
type Attempt struct {
	Locked bool // there were too many before, so nothing may be compared
	key    table.Key
	from   string // the record's attribute for the network
	mark   string // in the record; "" when the attempt is not counted
}

// Record has the attempts for an address that are under way or have failed. Each has a mark. There are never more than
// Max marks, some of which may be too old to count. The item has each mark twice: in this set, and in the set of its
// network. The sizes of both sets are the condition of the next attempt.
type Record struct {
	Marks     []string  `dynamo:"marks,set"`
	ExpiresAt time.Time `dynamo:"expires_at,unixtime"` // with the last mark
}

// recent returns the marks that count.
func (r Record) recent(now time.Time) []string {
	if !now.Before(r.ExpiresAt) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.Marks), func(m string) bool { return !counts(m, now) })
}

// newMark returns a mark: the milliseconds since 1970, the attribute of the network, and letters that make it unique.
// Adding a mark twice changes nothing. When a retry adds a mark late, after it was taken back, it counts until it is
// Window old.
func newMark(from string, now time.Time) string {
	return fmt.Sprintf("%d_%s_%s", now.UnixMilli(), from, rand.Text()[:8])
}

// counts reports whether a mark is younger than the window.
func counts(mark string, now time.Time) bool {
	stamp, _, _ := strings.Cut(mark, "_")
	ms, err := strconv.ParseInt(stamp, 10, 64)
	return err == nil && now.Sub(time.UnixMilli(ms)) < Window
}

// byNetwork groups marks by the attribute of their network.
func byNetwork(marks []string) map[string][]string {
	networks := map[string][]string{}
	for _, mark := range marks {
		if parts := strings.Split(mark, "_"); len(parts) == 3 {
			networks[parts[1]] = append(networks[parts[1]], mark)
		}
	}
	return networks
}

// countTries bounds how often an attempt removes old marks from a full record. Others do so at the same time, and the
// first of them makes room for all.
const countTries = 4

// Count counts an attempt from a network for an address in its normal form, unless the address is locked for the
// network. It takes one round trip, and one more when old marks have to go. The address "" stands for a malformed one
// and is not counted.
func Count(
	ctx context.Context, t table.Table, address string, network netip.Prefix, now time.Time,
) (a Attempt, err error) {
	if address == "" {
		return a, nil
	}
	a.key, a.from = table.SignInAttempts(address), attribute(address, network)
	mark := newMark(a.from, now)
	change := addMark(mark, a.from, now)
	for range countTries {
		var found Record
		written, err := t.Change(ctx, a.key, change, &found)
		if err != nil {
			return a, fmt.Errorf("count a sign-in: %w", err)
		}
		if written || slices.Contains(found.Marks, mark) { // already there: an earlier answer was lost
			a.mark = mark
			return a, nil
		}
		recent := found.recent(now)
		switch {
		case full(recent, a.from):
			a.Locked = true
			return a, nil
		case !full(found.Marks, a.from):
			change = addMark(mark, a.from, now)
		default:
			change = replaceMarks(found.Marks, append(recent, mark), now)
		}
	}
	a.Locked = true
	return a, nil
}

// full reports whether there is no room for another mark of a network.
func full(marks []string, from string) bool {
	return len(marks) >= Max || len(byNetwork(marks)[from]) >= MaxFromNetwork
}

// addMark adds a mark if there is room. It reads nothing first: the condition compares the sizes of both sets in
// the table.
func addMark(mark, from string, now time.Time) table.Change {
	return table.Change{
		Update: "ADD marks :mark, " + from + " :mark SET expires_at = :until",
		If: "(attribute_not_exists(marks) OR size(marks) < :max) AND " +
			"(attribute_not_exists(" + from + ") OR size(" + from + ") < :maxFromNetwork)",
		Values: map[string]any{
			":mark": table.Set{mark}, ":max": Max, ":maxFromNetwork": MaxFromNetwork, ":until": until(now),
		},
	}
}

// replaceMarks writes marks in place of those that were found. It removes the sets of networks without any mark, so
// that the item does not grow.
func replaceMarks(found, marks []string, now time.Time) table.Change {
	values := map[string]any{":found": table.Set(found), ":marks": table.Set(marks), ":until": until(now)}
	assign, remove := []string{"marks = :marks", "expires_at = :until"}, []string{}
	grouped := byNetwork(marks)
	for from, marks := range grouped {
		assign = append(assign, from+" = :"+from)
		values[":"+from] = table.Set(marks)
	}
	for from := range byNetwork(found) {
		if grouped[from] == nil {
			remove = append(remove, from)
		}
	}
	update := "SET " + strings.Join(assign, ", ")
	if len(remove) > 0 {
		update += " REMOVE " + strings.Join(remove, ", ")
	}
	return table.Change{Update: update, If: "marks = :found", Values: values}
}

// until returns when DynamoDB may delete the record, in seconds since 1970: when its newest mark no longer counts.
func until(now time.Time) int64 { return now.Add(Window + time.Second).Unix() }

// Counted reports whether there is a mark to take back.
func (a Attempt) Counted() bool { return a.mark != "" }

// TakeBack returns the update that takes a counted attempt back. Running it twice changes nothing.
func (a Attempt) TakeBack(t table.Table) *dynamo.Update {
	return t.UpdateItem(a.key).DeleteStringsFromSet("marks", a.mark).DeleteStringsFromSet(a.from, a.mark)
}
