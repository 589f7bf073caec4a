package main

import (
	"testing"
	"time"
)

// TestNameOfWhatARepairSaves: the default name has the table, and the time in UTC.
func TestNameOfWhatARepairSaves(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	if got := savedName("desk-Table.1", at); got != "frontdesk-repair-desk-Table.1-20260102T020405Z.ndjson" {
		t.Errorf("%q", got)
	}
}
