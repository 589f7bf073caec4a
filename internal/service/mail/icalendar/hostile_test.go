package icalendar

import (
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestCalendarsNeedLinearMemory reads calendars of pairs of pieces.
func TestCalendarsNeedLinearMemory(t *testing.T) {
	pieces := []string{
		"A:b\n", "\n ", "\r\n\t", "\"", ":", ";", "a", "BEGIN:VCALENDAR\n",
	}
	expect.LinearMemoryOfPairs(t, 2_000, pieces, func(text string) {
		Method([]byte(text))
		Text([]byte(text), "")
	})
}
