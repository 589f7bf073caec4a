package icalendar

import (
	"strings"
	"testing"

	"frontdesk/internal/expect"
)

// TestCalendarsNeedLinearMemory reads calendars of pairs of pieces.
func TestCalendarsNeedLinearMemory(t *testing.T) {
	pieces := []string{
		"A:b\n", "\n ", "\r\n\t", "\"", ":", ";", "a", "BEGIN:VCALENDAR\n",
	}
	for _, one := range pieces {
		for _, other := range pieces {
			memory := func(size int) int {
				text := one + strings.Repeat(other, size/len(other)) + strings.Repeat(one+other, size/len(one+other))
				return expect.Allocated(func() {
					Method([]byte(text))
					Text([]byte(text), "")
				})
			}
			expect.Linear(t, one+"…"+other, 2_000, memory(2_000), memory(2*2_000))
		}
	}
}
