package registry_test

import (
	"maps"
	"slices"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/registry"
	"frontdesk/internal/operate/transfer"
	"frontdesk/internal/prove/expect"
)

// TestEveryKindIsDeclaredOnce: a new kind fails here until its feature declares what check, reopen, person and export
// have to know of it.
func TestEveryKindIsDeclaredOnce(t *testing.T) {
	t.Parallel()
	kinds := registry.Kinds() // panics if one is declared twice
	names := map[string]bool{}
	for name := range table.Kinds() {
		names[name] = true
	}
	expect.Equal(t, slices.Sorted(maps.Keys(kinds)), slices.Sorted(maps.Keys(names)), "declared kinds")
}

// TestEveryLineOfAnExportIsOfAKind: what an export has is what kinds declare.
func TestEveryLineOfAnExportIsOfAKind(t *testing.T) {
	t.Parallel()
	var exported []transfer.Kind
	for _, kind := range registry.Kinds() {
		if kind.Exported != "" && !slices.Contains(exported, transfer.Kind(kind.Exported)) {
			exported = append(exported, transfer.Kind(kind.Exported))
		}
	}
	slices.Sort(exported)
	expect.Equal(t, exported, slices.Sorted(slices.Values(transfer.Kinds)), "kinds of lines")
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
