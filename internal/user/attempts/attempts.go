// Package attempts limits how often a password is tried for an e-mail address: however many attempts come at once, to
// however many processes.
package attempts

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/table"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

const (
	// Max is how many sign-ins may fail for an e-mail address within Window: as long as so many failures are younger
	// than that, no password is compared.
	Max    = 10
	Window = 15 * time.Minute
)

// Attempt is a sign-in for an e-mail address, whether a user has it or not. It is counted before anything is compared,
// as if it had failed, and taken back where it succeeds: so the limit holds for attempts at the same time, too.
type Attempt struct {
	Locked bool // there were too many before, and nothing may be compared
	key    table.Key
	mark   string // in the record; "" of an attempt that is not counted
}

// record has the attempts for an address that are under way or have failed, each by a mark that has
// its time. There are never more than Max, some of which may be too old to count.
type record struct {
	Marks []string `dynamo:"marks,set"`
}

// newMark is the milliseconds since 1970, and letters that tell it from others.
func newMark(now time.Time) string { return fmt.Sprintf("%d_%s", now.UnixMilli(), rand.Text()[:8]) }

// counts reports whether a mark is younger than the window.
func counts(mark string, now time.Time) bool {
	stamp, _, _ := strings.Cut(mark, "_")
	ms, err := strconv.ParseInt(stamp, 10, 64)
	return err == nil && now.Sub(time.UnixMilli(ms)) < Window
}

// countTries bounds how often an attempt makes room for itself in a record that is full of marks that count no longer.
// Others do so at the same time, and the first of them has made room for all.
const countTries = 4

// Count counts an attempt for an address in its normal form, unless the address is locked. That takes one round trip,
// and another where marks that count no longer have to go. "" is a malformed address, which has no count.
func Count(ctx context.Context, t table.Table, address string, now time.Time) (a Attempt, err error) {
	if address == "" {
		return a, nil
	}
	a.key = table.SignInAttempts(address)
	mark := newMark(now)
	change := addMark(mark, now)
	for range countTries {
		var found record
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
		case len(recent) >= Max:
			a.Locked = true
			return a, nil
		case len(found.Marks) < Max:
			change = addMark(mark, now)
		default:
			change = replaceMarks(found.Marks, append(recent, mark), now)
		}
	}
	a.Locked = true
	return a, nil
}

// addMark adds a mark where there is room.
func addMark(mark string, now time.Time) table.Change {
	return table.Change{
		Update: "ADD marks :mark SET expires_at = :until",
		If:     "attribute_not_exists(marks) OR size(marks) < :max",
		Values: map[string]types.AttributeValue{
			":mark":  &types.AttributeValueMemberSS{Value: []string{mark}},
			":max":   &types.AttributeValueMemberN{Value: strconv.Itoa(Max)},
			":until": until(now),
		},
	}
}

// replaceMarks writes marks in place of those that were found.
func replaceMarks(found, marks []string, now time.Time) table.Change {
	return table.Change{
		Update: "SET marks = :marks, expires_at = :until",
		If:     "marks = :found",
		Values: map[string]types.AttributeValue{
			":found": &types.AttributeValueMemberSS{Value: found},
			":marks": &types.AttributeValueMemberSS{Value: marks},
			":until": until(now),
		},
	}
}

// until is when the record may be deleted.
func until(now time.Time) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(now.Add(Window).Unix(), 10)}
}

// Counted reports whether there is anything to take back.
func (a Attempt) Counted() bool { return a.mark != "" }

// TakeBack is the update that takes an attempt back which is counted. To make it again changes nothing.
func (a Attempt) TakeBack(t table.Table) *dynamo.Update {
	return t.UpdateItem(a.key).DeleteStringsFromSet("marks", a.mark)
}
