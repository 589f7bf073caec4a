package mail

import (
	"strings"
	"testing"
)

func TestPlaceholders(t *testing.T) {
	r := newReplacer([]Placeholder{
		{Name: "NAME", Value: "Ada"}, {Name: "NONE"}, {Name: "NEST", Value: "{NAME}"},
		{Name: "É", Value: "e"}, {Name: "A B", Value: "c"},
	})
	for name, c := range map[string]struct{ in, want string }{
		"every occurrence":                    {"{NAME} and {NAME}", "Ada and Ada"},
		"side by side":                        {"{NAME}{NAME}", "AdaAda"},
		"only in upper case":                  {"{name} {Name}", "{name} {Name}"},
		"an unknown name stays":               {"{OTHER}", "{OTHER}"},
		"a missing value is the empty string": {"[{NONE}]", "[]"},
		"a value is not searched again":       {"{NEST}", "{NAME}"},
		"what a value completes is no name":   {"{{NEST}", "{{NAME}"},
		"braces around a name":                {"{{NAME}}", "{Ada}"},
		"an open brace":                       {"{NAME", "{NAME"},
		"an open brace before":                {"{ {NAME}", "{ Ada"},
		"a closing brace":                     {"NAME}", "NAME}"},
		"empty braces":                        {"{}", "{}"},
		"space inside the braces":             {"{ NAME }", "{ NAME }"},
		"a name beyond ASCII":                 {"{É}", "e"},
		"a name with a space":                 {"{A B}", "c"},
		"styles stay":                         {"p{color:red}", "p{color:red}"},
		"inserted as given, without escapes":  {"<b>{NAME}</b>", "<b>Ada</b>"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := r.replace(c.in); got != c.want || err != nil {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestPlaceholdersDoNotFillTheMemory(t *testing.T) {
	r := newReplacer([]Placeholder{{Name: "A", Value: strings.Repeat("x", 1<<20)}})
	if _, err := r.replace(strings.Repeat("{A}", 1<<18)); err == nil {
		t.Error("a quarter of a terabyte was made")
	}
}

// TestPlaceholdersInHostileText would not end if the time were quadratic.
func TestPlaceholdersInHostileText(t *testing.T) {
	many := make([]Placeholder, 20_000)
	for i := range many {
		many[i].Name = strings.Repeat("N", i+1)
	}
	r := newReplacer(many)
	for _, s := range []string{strings.Repeat("{", 4<<20), strings.Repeat("{NN", 1<<20), strings.Repeat("{N}", 1<<20)} {
		if _, err := r.replace(s); err != nil {
			t.Errorf("%.9q…: %v", s, err)
		}
	}
}
