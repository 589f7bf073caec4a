package placeholder

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestPlaceholdersAreReplacedOnce shows which braces are placeholders, and that nothing is inserted into a value.
func TestPlaceholdersAreReplacedOnce(t *testing.T) {
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

// TestPlaceholdersDoNotFillTheMemory: 262,144 placeholders with a value of 1 MB each stop at the limit.
func TestPlaceholdersDoNotFillTheMemory(t *testing.T) {
	if _, err := write(strings.Repeat("{A}", 1<<18), Values{"A": strings.Repeat("x", 1<<20)}); err == nil {
		t.Error("a quarter of a terabyte was made")
	}
}

// TestPlaceholdersInHostileText: in quadratic time these texts of megabytes would take hours.
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

// names returns the names of the values, as a set of known names.
func names(values Values) map[string]bool {
	known := map[string]bool{}
	for name := range values {
		known[name] = true
	}
	return known
}

// TestNamesThatAreLeft: an unknown name counts in text and in attributes, but not in styles, scripts and comments.
// What ends these is what ends them in a browser.
func TestNamesThatAreLeft(t *testing.T) {
	for name, c := range map[string]struct {
		html string
		want []string
	}{
		"each once, in its order":          {"{B}{A}{B}", []string{"B", "A"}},
		"none that is known":               {"{KNOWN}{A}", []string{"A"}},
		"a tag's attributes":               {`<a href="{URL}" {X}>`, []string{"URL", "X"}},
		"a tag that does not end":          {`{A}<a href="{URL}`, []string{"A"}},
		"a style that does not end":        {"{A}<style>{B}", []string{"A"}},
		"a style inside another element":   {"<p><style>{A}</style>{B}", []string{"B"}},
		"what stands as a style's text":    {"<style><p>{A}</p></style >{B}", []string{"B"}},
		"a script with a comment in it":    {"<script><!-- </script>{A}</script>{B}", []string{"A", "B"}},
		"a style in a comment":             {"<!-- <style> -->{A}", []string{"A"}},
		"a comment that does not end":      {"{A}<!-- {B}", []string{"A"}},
		"a comment of Outlook's":           {"<!--[if gte mso 9]>{A}<![endif]--><!--[endif]{B}-->", []string{"A"}},
		"what is there for others than it": {"<!--[if !mso]><!-->{A}<!--<![endif]-->", []string{"A"}},
		"a text area, a title and a noscript": {"<textarea>{A}</textarea><title>{B}</title><noscript>{C}",
			[]string{"A", "B", "C"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ParseHTML(c.html, names(Values{"KNOWN": ""})).Unknown; !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestNamesInTwoPairsOfBraces: only a known name directly inside two pairs counts as doubled.
func TestNamesInTwoPairsOfBraces(t *testing.T) {
	for name, c := range map[string]struct{ html, want string }{
		"each once":                 {"{{A}} {{B}} {{A}}", "A B"},
		"also in one pair":          {"{A} {{A}}", "A"},
		"in three":                  {"{{{A}}}", "A"},
		"not in one":                {"{A}", ""},
		"nor half":                  {"{{A} {B}}", ""},
		"nor apart":                 {"{ {A} }", ""},
		"none that is not known":    {"{{C}}", ""},
		"a tag's attributes":        {`<a href="{{A}}">`, "A"},
		"no style, script, comment": {"<style>@media x{{A}}</style><script>{{B}}</script><!-- {{A}} -->", ""},
	} {
		t.Run(name, func(t *testing.T) {
			doubled := ParseHTML(c.html, names(Values{"A": "", "B": ""})).Doubled
			expect.Equal(t, strings.Join(slices.Sorted(maps.Keys(doubled)), " "), c.want)
		})
	}
}

// TestTheLastValuesCount: a later map wins even with an empty value, and a name without a value stays.
func TestTheLastValuesCount(t *testing.T) {
	known := names(Values{"A": "", "B": "", "C": ""})
	got, err := Parse("{A}{B}{C}", known).Write(limit, Values{"A": "1", "B": "2"}, Values{"B": ""}, nil)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, got, "1{C}")
}

// FuzzTemplate compares a template with a regular expression.
func FuzzTemplate(f *testing.F) {
	f.Add("Dear {NAME}, {{NAME}} {name} {OTHER} {NAME", "{A}")
	f.Add("<style>p{A}</style><!--[if mso]>{B}<![endif]--><a href={NAME}>", "")
	f.Add("}{NAME}}{{}{", "x")
	place := regexp.MustCompile(`\{[^{}]*\}`)
	f.Fuzz(func(t *testing.T, text, value string) {
		values := Values{"NAME": value}
		known, left := names(values), []string{}
		want := place.ReplaceAllStringFunc(text, func(at string) string {
			switch name := at[1 : len(at)-1]; {
			case name == "NAME":
				return value
			case forgotten(name) && !slices.Contains(left, name):
				left = append(left, name)
			}
			return at
		})
		plain, html := Parse(text, known), ParseHTML(text, known)
		if len(left) <= MaxUnknown && !slices.Equal(plain.Unknown, left) {
			t.Errorf("left are %q, want %q", plain.Unknown, left)
		}
		for _, name := range html.Unknown {
			if !slices.Contains(left, name) {
				t.Errorf("left is %q, which does not stand there", name)
			}
		}
		for _, template := range []Template{plain, html} {
			if got, err := template.Write(limit, values); got != want || err != nil {
				t.Errorf("%q, %v; want %q", got, err, want)
			}
		}
	})
}

// BenchmarkTemplate parses a newsletter, once with all placeholders known and once with an unknown one, and writes it
// for one recipient.
func BenchmarkTemplate(b *testing.B) {
	text := "<style>" + strings.Repeat("p { color: red; margin: 0 } ", 100) + "</style>" +
		strings.Repeat("<p>Dear {NAME}, here is <a href=https://example.com/{ID}>more</a> than before.</p>", 120)
	values := Values{"NAME": "Grüße", "ID": "4711"}
	for _, known := range []Values{values, {"NAME": ""}} {
		b.Run(fmt.Sprintf("parse, %d left", 2-len(known)), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				ParseHTML(text, names(known))
			}
		})
	}
	b.Run("write", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		template := ParseHTML(text, names(values))
		for b.Loop() {
			if _, err := template.Write(limit, values); err != nil {
				b.Fatal(err)
			}
		}
	})
}
