package commandline

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"

	"github.com/rivo/uniseg"
)

// TestWhatIsPrintedFitsTheScreen: a paragraph or a command goes on below where it would be too wide, and where there is
// no terminal, beyond 120 columns. A shell to which the lines of a command are pasted gets the command.
func TestWhatIsPrintedFitsTheScreen(t *testing.T) {
	const (
		record = `_dmarc.a-quite-long-domain.example.com. TXT "v=DMARC1; p=none; rua=mailto:postmaster@example.com"`
		text   = "missing  alarms: they have no topic: nobody hears of them, and that goes on, as long as " +
			"nobody gives them one, which somebody should do"
		command = "printf '%s|' --region us-east-1 --parameter 'Name <a b@example.com>' " +
			"--reason 'it'\\''s a rehearsal, and nothing is wrong' --window 2026-11-28T17:00:00Z --more 'words'"
	)
	want, err := exec.Command("sh", "-c", command).Output()
	if err != nil {
		t.Fatal(err)
	}
	const just = 9 + len(record)
	for name, c := range map[string]struct{ columns, most, lines, ofRecord int }{
		"a terminal of 80 columns":                  {80, 80, 2, 2},
		"a terminal that is too narrow by a column": {just - 1, just - 1, 2, 2},
		"a terminal as wide as a record":            {just, just, 2, 1},
		"a terminal of 200 columns":                 {200, 120, 2, 1},
		"no terminal":                               {0, 120, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var printed bytes.Buffer
			p := Printer{w: &printed, columns: c.columns}
			p.Paragraph(text, 9)
			expect.Equal(t, strings.Fields(printed.String()), strings.Fields(text))
			expect.Equal(t, strings.Count(printed.String(), "\n"), c.lines, "lines")
			for line := range strings.Lines(printed.String()) {
				expect.AtMost(t, uniseg.StringWidth(strings.TrimSuffix(line, "\n")), c.most, line)
			}
			printed.Reset()
			p.Record(record, 9)
			expect.Contains(t, printed.String(), `"v=DMARC1; p=none; rua=mailto:postmaster@example.com"`, "the record")
			expect.Equal(t, strings.Count(printed.String(), "\n"), c.ofRecord, "lines of the record")
			for line := range strings.Lines(printed.String()) {
				expect.AtMost(t, uniseg.StringWidth(strings.TrimSuffix(line, "\n")), c.most, line)
			}
			printed.Reset()
			p.Command(command, 9)
			for line := range strings.Lines(printed.String()) {
				expect.AtMost(t, uniseg.StringWidth(strings.TrimSuffix(line, "\n")), c.most, line)
			}
			expect.Equal(t, strings.Contains(printed.String(), " \\\n           "), true, "it goes on further in")
			got, err := exec.Command("sh", "-c", printed.String()).Output()
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, string(got), string(want))
		})
	}
}
