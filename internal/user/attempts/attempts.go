// Package attempts limits how often a password is tried for an e-mail address, from one network and from all of them:
// however many attempts come at once, to however many processes.
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

	"frontdesk/internal/table"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// As long as so many failed sign-ins for an e-mail address are younger than Window, no password is compared for it: for
// clients of one network after MaxFromNetwork of theirs, for all clients after Max of anybody's. The bounds are apart,
// so that a stranger who uses up those of one network does not lock the user out.
const (
	MaxFromNetwork = 10
	Max            = 25
	Window         = 15 * time.Minute
)

// Attempt is a sign-in for an e-mail address, whether a user has it or not. It is counted before anything is compared,
// as if it had failed, and taken back where it succeeds: so the limits hold for attempts at the same time, too.
type Attempt struct {
	Locked bool // there were too many before, and nothing may be compared
	key    table.Key
	from   string // the attribute of the network
	mark   string // in the record; "" of an attempt that is not counted
}

// Record has the attempts for an address that are under way or have failed, each by its mark. There are never more than
// Max, some of which may be too old to count. The item has each mark twice: in this set, and in the one of its network,
// whose size another attempt from there is held against.
type Record struct {
	Marks []string `dynamo:"marks,set"`
}

// newMark is the milliseconds since 1970, the attribute of the network, and letters that tell the mark from others. To
// add a mark again changes nothing. One that is added late, after it was taken back, counts until it is Window old.
func newMark(from string, now time.Time) string {
	return fmt.Sprintf("%d_%s_%s", now.UnixMilli(), from, rand.Text()[:8])
}

// counts reports whether a mark is younger than the window.
func counts(mark string, now time.Time) bool {
	stamp, _, _ := strings.Cut(mark, "_")
	ms, err := strconv.ParseInt(stamp, 10, 64)
	return err == nil && now.Sub(time.UnixMilli(ms)) < Window
}

// byNetwork are marks by the attribute of their network.
func byNetwork(marks []string) map[string][]string {
	networks := map[string][]string{}
	for _, mark := range marks {
		if parts := strings.Split(mark, "_"); len(parts) == 3 {
			networks[parts[1]] = append(networks[parts[1]], mark)
		}
	}
	return networks
}

// countTries bounds how often an attempt makes room for itself in a record that is full of marks that count no longer.
// Others do so at the same time, and the first of them has made room for all.
const countTries = 4

// Count counts an attempt from a network for an address in its normal form, unless the address is locked for the
// network. That takes one round trip, and another where marks that count no longer have to go. "" is a malformed
// address, which has no count.
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
		if written || slices.Contains(found.Marks, mark) { // there already: an answer was lost
			a.mark = mark
			return a, nil
		}
		recent := slices.DeleteFunc(slices.Clone(found.Marks), func(m string) bool { return !counts(m, now) })
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

// full reports whether marks leave no room for another one of a network.
func full(marks []string, from string) bool {
	return len(marks) >= Max || len(byNetwork(marks)[from]) >= MaxFromNetwork
}

// addMark adds a mark where there is room.
func addMark(mark, from string, now time.Time) table.Change {
	return table.Change{
		Update: "ADD marks :mark, " + from + " :mark SET expires_at = :until",
		If: "(attribute_not_exists(marks) OR size(marks) < :max) AND " +
			"(attribute_not_exists(" + from + ") OR size(" + from + ") < :maxFromNetwork)",
		Values: map[string]types.AttributeValue{
			":mark":           set(mark),
			":max":            number(Max),
			":maxFromNetwork": number(MaxFromNetwork),
			":until":          until(now),
		},
	}
}

// replaceMarks writes marks in place of those that were found. Networks that have none any more leave the record, so
// that it does not grow.
func replaceMarks(found, marks []string, now time.Time) table.Change {
	values := map[string]types.AttributeValue{":found": set(found...), ":marks": set(marks...), ":until": until(now)}
	assign, remove := []string{"marks = :marks", "expires_at = :until"}, []string{}
	left := byNetwork(marks)
	for from, marks := range left {
		assign = append(assign, from+" = :"+from)
		values[":"+from] = set(marks...)
	}
	for from := range byNetwork(found) {
		if left[from] == nil {
			remove = append(remove, from)
		}
	}
	update := "SET " + strings.Join(assign, ", ")
	if len(remove) > 0 {
		update += " REMOVE " + strings.Join(remove, ", ")
	}
	return table.Change{Update: update, If: "marks = :found", Values: values}
}

func set(marks ...string) types.AttributeValue { return &types.AttributeValueMemberSS{Value: marks} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// until is when the record may be deleted.
func until(now time.Time) types.AttributeValue { return number(now.Add(Window).Unix()) }

// Counted reports whether there is anything to take back.
func (a Attempt) Counted() bool { return a.mark != "" }

// TakeBack is the update that takes an attempt back which is counted. To make it again changes nothing.
func (a Attempt) TakeBack(t table.Table) *dynamo.Update {
	return t.UpdateItem(a.key).DeleteStringsFromSet("marks", a.mark).DeleteStringsFromSet(a.from, a.mark)
}
