// Package expect compares values in tests. A failure shows the compared expression as the test's source has it, what
// the test got, and what it wanted:
//
//	expect.Equal(t, created.Name, "news")
//	expect.HasPrefix(t, created.Key, "fdm_")
//	expect.Equal(t, reply.Status, 200, "the second attempt")
//
// Where the expression alone does not say what is compared, such as in a loop, what says it.
//
// A failed check does not end the test, so that a test reports everything that is wrong. Only [Len] ends it, because
// the code after it reads the elements.
package expect

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// Equal compares two values. Values with a method Equal, such as times, are compared by it. Others are compared by
// [reflect.DeepEqual], except that an empty slice or map equals nil.
func Equal[T any](t testing.TB, got, want T, what ...string) {
	t.Helper()
	if !equal(got, want) {
		t.Errorf("%s got %s, want %s", subject(what), show(got), show(want))
	}
}

// maxShown is how many bytes of a value a failure shows.
const maxShown = 2000

// show quotes texts, to tell "1" from 1.
func show(value any) string {
	format := "%+v"
	switch value.(type) {
	case string, []string:
		format = "%q"
	}
	text := fmt.Sprintf(format, value)
	if len(text) > maxShown {
		return text[:maxShown] + "…"
	}
	return text
}

// equal compares by a method Equal if there is one: times that are equal may differ in their location and
// clock reading.
func equal[T any](got, want T) bool {
	if value, ok := any(got).(interface{ Equal(T) bool }); ok {
		return value.Equal(want)
	}
	return empty(got) && empty(want) || reflect.DeepEqual(got, want)
}

// empty reports whether a value is a slice or a map without elements, nil or not.
func empty(value any) bool {
	v := reflect.ValueOf(value)
	return (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0
}

// Not checks that a value differs from an unwanted one.
func Not[T any](t testing.TB, got, unwanted T, what ...string) {
	t.Helper()
	if equal(got, unwanted) {
		t.Errorf("%s got %s, want another", subject(what), show(got))
	}
}

// Len checks the number of elements of a list, and ends the test if it is wrong.
func Len[T any](t testing.TB, list []T, want int, what ...string) {
	t.Helper()
	if len(list) != want {
		t.Fatalf("%s got %d, want %d: %s", subject(what), len(list), want, show(list))
	}
}

// AtLeast checks a lower bound.
func AtLeast[T cmp.Ordered](t testing.TB, got, want T, what ...string) {
	t.Helper()
	if got < want {
		t.Errorf("%s got %v, want at least %v", subject(what), got, want)
	}
}

// AtMost checks an upper bound.
func AtMost[T cmp.Ordered](t testing.TB, got, want T, what ...string) {
	t.Helper()
	if got > want {
		t.Errorf("%s got %v, want at most %v", subject(what), got, want)
	}
}

// Contains checks that a text contains another.
func Contains(t testing.TB, got, want string, what ...string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("%s got %s, want %q in it", subject(what), show(got), want)
	}
}

// Lacks checks that a text does not contain another.
func Lacks(t testing.TB, got, unwanted string, what ...string) {
	t.Helper()
	if strings.Contains(got, unwanted) {
		t.Errorf("%s got %s, want no %q in it", subject(what), show(got), unwanted)
	}
}

// HasPrefix checks how a text begins.
func HasPrefix(t testing.TB, got, want string, what ...string) {
	t.Helper()
	if !strings.HasPrefix(got, want) {
		t.Errorf("%s got %s, want %q at its beginning", subject(what), show(got), want)
	}
}

// HasSuffix checks how a text ends.
func HasSuffix(t testing.TB, got, want string, what ...string) {
	t.Helper()
	if !strings.HasSuffix(got, want) {
		t.Errorf("%s got %s, want %q at its end", subject(what), show(got), want)
	}
}
