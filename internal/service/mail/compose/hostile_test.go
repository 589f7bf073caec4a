package compose

import (
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestHeadersNeedLinearMemory writes fields, names and texts of pairs of pieces.
func TestHeadersNeedLinearMemory(t *testing.T) {
	pieces := []string{
		" ", "a", "  ", "=?", "é", "\t", "a b ", "From ", "\r", "\n", "\\", "\"", "\xff",
	}
	expect.LinearMemoryOfPairs(t, 2_000, pieces, writeAll)
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
