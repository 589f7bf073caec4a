package compose

import (
	"testing"

	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
)

// TestTheContractHasTheReservedHeaderFields, in the same order.
func TestTheContractHasTheReservedHeaderFields(t *testing.T) {
	want, err := contracttest.ReservedHeaderFields()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range reserved {
		names = append(names, r.name)
	}
	expect.Equal(t, names, want)
}
