package icalendar

import (
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestMethod: METHOD is found before the first component, however its line is folded or ended. The event of each case
// has a METHOD of its own, which must not be found.
func TestMethod(t *testing.T) {
	t.Parallel()
	const event = "BEGIN:VEVENT\r\nMETHOD:CANCEL\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
	for name, c := range map[string]struct{ calendar, want string }{
		"a request":               {"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:REQUEST\r\n" + event, "REQUEST"},
		"lines that end in LF":    {"BEGIN:VCALENDAR\nMETHOD:REQUEST\n" + event, "REQUEST"},
		"other letters":           {"begin:vcalendar\r\nMethod:Request\r\n" + event, "Request"},
		"a folded name and value": {"BEGIN:VCALENDAR\r\nMET\r\n HOD:RE\r\n\tQUEST\r\n" + event, "REQUEST"},
		"folded in lines of LF":   {"BEGIN:VCALENDAR\nMETHOD\n :REQ\n\tUEST\n" + event, "REQUEST"},
		"parameters":              {"BEGIN:VCALENDAR\r\nMETHOD;X-A=\"a:b\";X-B=c:REQUEST\r\n" + event, "REQUEST"},
		"a byte order mark":       {"\uFEFFBEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\n" + event, "REQUEST"},
		"white space around":      {"BEGIN:VCALENDAR\r\nMETHOD: REQUEST \r\n" + event, "REQUEST"},
		"a word that has it":      {"BEGIN:VCALENDAR\r\nX-METHOD:A\r\nMETHODS:B\r\nMETHOD:C\r\n" + event, "C"},
		"in another's value":      {"BEGIN:VCALENDAR\r\nPRODID:METHOD:A\r\n" + event, ""},
		"none":                    {"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + event, ""},
		"one in an event":         {"BEGIN:VCALENDAR\r\n" + event, ""},
		"one of another calendar": {"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\nBEGIN:VCALENDAR\r\nMETHOD:A\r\n", ""},
		"the last line":           {"METHOD:REQUEST", "REQUEST"},
		"no calendar":             {"\x00\xff\r\n:::\r\n;\"\r\n", ""},
		"nothing":                 {"", ""},
		"one far behind": {
			"BEGIN:VCALENDAR\r\n" + strings.Repeat("X-A:b\r\n", 20_000) + "METHOD:REQUEST\r\n" + event, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			expect.Equal(t, Method([]byte(c.calendar)), c.want, "the method")
		})
	}
}

// FuzzMethod: a method is found wherever its line is folded, and never has a line break.
func FuzzMethod(f *testing.F) {
	f.Add("VERSION:2.0\r\n", "REQUEST", uint(3))
	f.Add("X;A=\":\":b\n", "cancel", uint(0))
	f.Fuzz(func(t *testing.T, before, method string, fold uint) {
		if got := Method([]byte(before + method)); strings.ContainsAny(got, "\n") {
			t.Errorf("%q is not on one line", got)
		}
		token := func(c rune) bool { return (c < 'A' || c > 'Z') && c != '-' }
		if method == "" || strings.ContainsFunc(method, token) {
			return // no method
		}
		line := "METHOD:" + method
		at := int(fold % uint(len(line)))
		folded := "BEGIN:VCALENDAR\r\n" + line[:at] + "\r\n " + line[at:] + "\r\nBEGIN:VEVENT\r\n"
		if at == 0 { // the line would belong to the one before
			return
		}
		expect.Equal(t, Method([]byte(folded)), method, "the method of "+folded)
	})
}

// FuzzText: what Text returns is UTF-8 with CRLF alone as its line ends, and stays the same when it is read again.
func FuzzText(f *testing.F) {
	f.Add([]byte("\uFEFFBEGIN:VCALENDAR\nX:a\rb\r\n"), "")
	f.Add([]byte("\xff\xfeA\x00"), "iso-8859-1")
	f.Add([]byte("gr\xfc\xdf"), "utf-8")
	f.Fuzz(func(t *testing.T, calendar []byte, label string) {
		text, _, err := Text(calendar, label)
		if err != nil {
			return
		}
		if without := strings.ReplaceAll(string(text), "\r\n", ""); strings.ContainsAny(without, "\r\n") {
			t.Errorf("a lone line end in %q", text)
		}
		again, guessed, err := Text(text, "")
		if guessed || err != nil {
			t.Errorf("%q, %v: %q is not in UTF-8", again, err, text)
		}
		expect.Equal(t, string(again), string(text), "the text")
	})
}
