package registry_test

import (
	"maps"
	"slices"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/registry"
	"frontdesk/internal/prove/expect"
)

// TestEveryKindIsDeclaredOnce: a new kind fails here until its feature declares what check, reopen and person have to
// know of it.
func TestEveryKindIsDeclaredOnce(t *testing.T) {
	t.Parallel()
	kinds := registry.Kinds() // panics if one is declared twice
	names := map[string]bool{}
	for name := range table.Kinds() {
		names[name] = true
	}
	expect.Equal(t, slices.Sorted(maps.Keys(kinds)), slices.Sorted(maps.Keys(names)), "declared kinds")
}

// TestWhatIsAUsersEndsWithTheUser: what names a user in its key is deleted after the user's record, itself or its
// mirror.
func TestWhatIsAUsersEndsWithTheUser(t *testing.T) {
	t.Parallel()
	kinds, ending := registry.Kinds(), map[string]bool{}
	for _, partition := range table.EndingWith(1) {
		ending[partition] = true
	}
	for name, k := range table.Kinds() { // the ids of its keys are 1
		user := kinds[name].User
		switch {
		case name == table.User(0).Kind():
		case user != nil && user(k) == 1:
			expect.Equal(t, ending[k.PK] || ending[k.Mirror().PK], true, name+": it ends with its user")
		default:
			expect.Equal(t, ending[k.PK], false, name+": it ends with a user and says not whose it is")
		}
	}
}

// TestWhatAListHasDecidesAboutAccess: a kind that ends says by which attributes, unless it always ends.
func TestWhatAListHasDecidesAboutAccess(t *testing.T) {
	t.Parallel()
	for name, kind := range registry.Kinds() {
		if kind.Ends != nil && !kind.Always {
			expect.Equal(t, kind.Access != nil, true, name+": it is in a list")
		}
	}
}
