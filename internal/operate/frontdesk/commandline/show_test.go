package commandline_test

import (
	"bytes"
	"testing"
	"time"

	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/prove/expect"

	"github.com/alecthomas/kong"
)

// showCommand shows a result, and says something about it.
type showCommand struct{}

// result has a type of its own, by which kong passes it to the command.
type result struct{ value any }

func (showCommand) Run(r result, out commandline.Output) error { return out.Show(r.value) }

type sayCommand struct{}

func (sayCommand) Run(r result, out commandline.Output) error {
	return out.Report(r.value, "did %s", "it\t")
}

// printed returns what a command prints of a value.
func printed(t *testing.T, v any, line ...string) string {
	t.Helper()
	var commands struct {
		Show showCommand `cmd:""`
		Say  sayCommand  `cmd:""`
	}
	var flags struct{ JSON bool }
	var out, err bytes.Buffer
	program := commandline.Program{
		Streams: commandline.Streams{Out: &out, Err: &err}, Options: []kong.Option{kong.Bind(result{v})},
	}
	if err := program.Run(t.Context(), &flags, &flags.JSON, &commands, line); err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, err.String(), "")
	return out.String()
}

// verb is a bool that prints itself.
type verb bool

func (v verb) String() string {
	if v {
		return "may"
	}
	return ""
}

type thing struct {
	ID      int                `json:"id" show:"id"`
	Name    string             `json:"name" show:"name"`
	From    []string           `json:"from,omitempty" show:"from"`
	Public  bool               `json:"public" show:"public,column"`
	May     verb               `json:"may" show:"may"`
	At      time.Time          `json:"at" show:"at,day"`
	Ended   *time.Time         `json:"ended" show:"ended,day"`
	Counts  map[string]int     `json:"counts,omitempty" show:"counts,row"`
	Parts   []part             `json:"parts,omitempty" show:"part,row"`
	Secret  string             `json:"secret,omitempty" show:"secret,row,once"`
	Unshown map[string]float64 `json:"-"`
}

type part struct {
	Name string `json:"name" show:"name"`
	Size int    `json:"size" show:"size"`
}

// TestShowPrintsByTags: each case is a value, and what is printed of it.
func TestShowPrintsByTags(t *testing.T) {
	at := time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC)
	whole := thing{
		ID: 7, Name: "A", From: []string{"a", "b"}, Public: true, May: true, At: at, Ended: &at, Secret: "s",
		Counts: map[string]int{"y": 2, "x": 0}, Parts: []part{{"p", 1}, {"long", 22}},
	}
	for name, c := range map[string]struct {
		value any
		line  []string
		want  string
	}{
		"a list": {[]thing{whole, {ID: 8}}, []string{"show"}, "" +
			"ID  NAME  FROM  PUBLIC  MAY  AT          ENDED\n" +
			"7   A     a b   true    may  2026-11-26  2026-11-26\n" +
			"8   -     -     false   -    -           -\n"},
		"an empty list":         {[]part{}, []string{"show"}, "NAME  SIZE\n"},
		"an empty list as JSON": {[]part{}, []string{"show", "--json"}, "[]\n"},
		"a struct": {whole, []string{"show"}, "" +
			"id      7\nname    A\nfrom    a\nfrom    b\nmay     may\nat      2026-11-26T10:00:00Z\n" +
			"ended   2026-11-26T10:00:00Z\nx       0\ny       2\npart    p     1\npart    long  22\nsecret  s\n" +
			"\nThe secret is shown only once: keep it with your other secrets.\n"},
		"a pointer to a struct that is nearly empty": {&thing{ID: 8}, []string{"show"}, "id  8\n"},
		"a struct as JSON": {
			part{"p\x1b", 1}, []string{"--json", "show"}, `{"name":"p\u001b","size":1}` + "\n"},
		"what others wrote": {part{"p\x1b[2J\tq\n", 1}, []string{"show"}, "" +
			`name  p\u001b[2J\tq\n` + "\nsize  1\n"},
		"a sentence":           {part{"p", 1}, []string{"say"}, "did it\\t\n"},
		"a sentence of a list": {[]part{}, []string{"say"}, "did it\\t\n"},
		"a sentence as JSON":   {part{"p", 1}, []string{"say", "--json"}, `{"name":"p","size":1}` + "\n"},
		"a sentence of a secret": {whole, []string{"say"}, "did it\\t\n\nsecret  s\n" +
			"\nThe secret is shown only once: keep it with your other secrets.\n"},
	} {
		t.Run(name, func(t *testing.T) { expect.Equal(t, printed(t, c.value, c.line...), c.want, "printed") })
	}
}
