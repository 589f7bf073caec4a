package compose

import (
	"strings"
	"testing"

	"frontdesk/internal/expect"
)

// TestHeadersNeedLinearMemory writes fields, names and texts of pairs of pieces.
func TestHeadersNeedLinearMemory(t *testing.T) {
	pieces := []string{
		" ", "a", "  ", "=?", "é", "\t", "a b ", "From ", "\r", "\n", "\\", "\"", "\xff",
	}
	for _, one := range pieces {
		for _, other := range pieces {
			memory := func(size int) int {
				text := one + strings.Repeat(other, size/len(other)) + strings.Repeat(one+other, size/len(one+other))
				return expect.Allocated(func() { writeAll(text) })
			}
			expect.Linear(t, one+"…"+other, 2_000, memory(2_000), memory(2*2_000))
		}
	}
}

func writeAll(text string) {
	value := strings.NewReplacer("\r", "", "\n", "").Replace(text)
	for _, f := range []Field{{"X-A", value}, {"References", value}} {
		if f.Check() == nil {
			f.write()
		}
	}
	box := Mailbox{Name: value, Address: "a@b.org"}
	(&Message{From: box, Subject: value, Text: &text, Files: []File{
		{Name: value[:min(len(value), 255)], ContentType: messageType, Body: []byte(text)},
	}}).Bytes()
}
