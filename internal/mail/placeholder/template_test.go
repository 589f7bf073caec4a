package placeholder

import (
	"strings"
	"testing"
)

func TestPlaceholders(t *testing.T) {
	values := Values{"NAME": "Ada", "NONE": "", "NEST": "{NAME}", "É": "e", "A B": "c"}
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
			if got, err := write(c.in, values); got != c.want || err != nil {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestPlaceholdersDoNotFillTheMemory(t *testing.T) {
	if _, err := write(strings.Repeat("{A}", 1<<18), Values{"A": strings.Repeat("x", 1<<20)}); err == nil {
		t.Error("a quarter of a terabyte was made")
	}
}

// TestPlaceholdersInHostileText would not end if the time were quadratic.
func TestPlaceholdersInHostileText(t *testing.T) {
	values := Values{}
	for i := range 20_000 {
		values[strings.Repeat("N", i+1)] = ""
	}
	for _, s := range []string{
		strings.Repeat("{", 4<<20), strings.Repeat("}", 4<<20), strings.Repeat("{NN", 1<<20),
		strings.Repeat("{N}", 1<<20), strings.Repeat("<!--[if ", 1<<19) + "{X}", strings.Repeat("<a {X}", 1<<19),
	} {
		if _, err := write(s, values); err != nil {
			t.Errorf("%.9q…: %v", s, err)
		}
	}
}

const limit = 40 << 20

// write replaces all placeholders of a text.
func write(s string, values Values) (string, error) {
	return ParseHTML(s, names(values)).Write(limit, values)
}

func names(values Values) map[string]bool {
	known := map[string]bool{}
	for name := range values {
		known[name] = true
	}
	return known
}
