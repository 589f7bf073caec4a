package person

import (
	"testing"

	"frontdesk/internal/table"
)

// TestEachKindIsDecided shows that somebody has decided for each kind of item what happens to an address in it.
func TestEachKindIsDecided(t *testing.T) {
	t.Parallel()
	known := map[string]bool{table.Unknown: true}
	for kind := range table.Kinds() {
		known[kind] = true
		if _, decided := kinds[kind]; !decided {
			t.Errorf("nobody has decided what becomes of an address in a %s", kind)
		}
	}
	for kind := range kinds {
		if !known[kind] {
			t.Errorf("the table has no %s", kind)
		}
	}
}
