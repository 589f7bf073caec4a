package address

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
)

var (
	a64    = strings.Repeat("a", 64)
	domain = strings.Repeat("abcdefgh.", 26) + "abcdef.org" // 244 bytes
)

// TestAnAddressIsKeptInOneForm shows that Parse changes the domain only.
func TestAnAddressIsKeptInOneForm(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"a plain one":                   {"ada@example.org", "ada@example.org"},
		"the local part keeps its case": {"Ada.L+x@Example.ORG", "Ada.L+x@example.org"},
		"a domain beyond ASCII":         {"grete@Bücher.example", "grete@xn--bcher-kva.example"},
		"the same in ASCII":             {"grete@XN--bcher-kva.example", "grete@xn--bcher-kva.example"},
		"full-width letters and dots":   {"a@ｅｘａｍｐｌｅ。org", "a@example.org"},
		"all of atext":                  {"!#$%&'*+-/?=^_`{|}~0aZ@example.org", "!#$%&'*+-/?=^_`{|}~0aZ@example.org"},
		"a local part of 64 bytes":      {a64 + "@example.org", a64 + "@example.org"},
		"254 bytes":                     {"abcdefghi@" + domain, "abcdefghi@" + domain},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := Parse(c.in); got != c.want || err != nil {
				t.Errorf("Parse(%q) = %q, %v; want %q", c.in, got, err, c.want)
			}
		})
	}
}

// TestParseRefusesWhatIsNoAddress shows the error of each rule. Text that other parsers accept, such as a quoted local
// part or an address literal, is refused as well.
func TestParseRefusesWhatIsNoAddress(t *testing.T) {
	const dots = "the part before the @ must not begin or end with a dot, or have two in a row"
	for name, c := range map[string]struct{ in, want string }{
		"nothing":                    {"", "is missing"},
		"no @":                       {"ada", `"ada" is not a valid e-mail address: it has no @`},
		"no local part":              {"@example.org", "nothing is before the @"},
		"no domain":                  {"ada@", "its domain is not a valid host name"},
		"a comment":                  {"ada(x)@example.org", `the part before the @ must not contain "("`},
		"a space inside":             {"a da@example.org", `the part before the @ must not contain " "`},
		"a quoted local part":        {`"a b"@example.org`, `the part before the @ must not contain "\""`},
		"a quoted local part with @": {`"a@b"@example.org`, `the part before the @ must not contain "\""`},
		"two dots":                   {"a..b@example.org", dots},
		"a dot before":               {".a@example.org", dots},
		"a dot at the end":           {"a.@example.org", dots},
		"a local part beyond ASCII":  {"grüße@example.org", "the part before the @ must be ASCII"},
		"an encoded word":            {"=?utf-8?q?ada?=@example.org", "the part before the @ must not contain =?"},
		"the beginning of one":       {"ada=?x@example.org", "the part before the @ must not contain =?"},
		"a local part of 65 bytes":   {a64 + "a@example.org", "the part before the @ is longer than 64 bytes"},
		"255 bytes":                  {"abcdefghij@" + domain, "is longer than 254 bytes"},
		"a thousand bytes and more":  {strings.Repeat("a", 1017), "is longer than 254 bytes"},
		"a domain with a space":      {"ada@exa mple.org", "its domain is not a valid host name"},
		"an empty label":             {"ada@example..org", "is not a valid host name"},
		"two dots after the domain":  {"ada@example.org..", "its domain is not a valid host name"},
		"a label of 64 bytes":        {"ada@" + a64 + ".org", "its domain is not a valid host name"},
		"an address literal":         {"ada@[127.0.0.1]", "its domain is not a valid host name"},
		"an underscore":              {"ada@exa_mple.org", "its domain is not a valid host name"},
		"CRLF":                       {"ada@example.org\r\nBcc: x@example.org", "is not a valid"},
		"NUL":                        {"ada\x00@example.org", "is not a valid e-mail address"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := Parse(c.in); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Parse(%q) = %q, %v; want an error with %q", c.in, got, err, c.want)
			}
		})
	}
}

// TestWhatIsBesideAnAddressIsNamed: where only something around an address is wrong, the error repeats the address.
func TestWhatIsBesideAnAddressIsNamed(t *testing.T) {
	const alone = `give "ada@example.org" alone, without `
	for name, c := range map[string]struct{ in, want string }{
		"a display name":         {"Ada <ada@example.org>", alone + `the name`},
		"a quoted display name":  {`"Lovelace, A." <ada@example.org>`, alone + `the name`},
		"a name and no space":    {"Ada<ada@bücher.example>", `give "ada@bücher.example" alone, without the name`},
		"angle brackets":         {"<ada@example.org>", alone + `angle brackets`},
		"space before":           {" ada@example.org", alone + `white space around it`},
		"a line feed behind":     {"ada@example.org\n", alone + `white space around it`},
		"a no-break space":       {"\u00a0ada@example.org", alone + `white space around it`},
		"mailto:":                {"mailto:ada@example.org", alone + `mailto:`},
		"mailto: with a subject": {"MAILTO:ada@example.org?subject=Hi", alone + `mailto:`},
		"a dot after the domain": {"ada@example.org.", alone + `the dot at its end`},
		"several of them": {
			" Ada <mailto:ada@example.org.>",
			alone + `white space around it and the name and mailto: and the dot at its end`,
		},
		"two addresses":            {"a@example.org,b@example.org", "it is several addresses; give one alone"},
		"two with a semicolon":     {"a@example.org; b@example.org", "it is several addresses; give one alone"},
		"two with a space":         {"a@example.org b@example.org", "it is several addresses; give one alone"},
		"two with names":           {"A <a@example.org>, B <b@example.org>", "it is several addresses; give one alone"},
		"a name before no address": {"Ada <ada>", "it has no @"},
		"a bracket alone":          {"ada@example.org>", "its domain is not a valid host name"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(c.in)
			expect.Equal(t, got, "", "address")
			expect.HasPrefix(t, err.Error(), fmt.Sprintf("%q is not a valid e-mail address: ", c.in))
			expect.Contains(t, err.Error(), c.want)
		})
	}
}

// FuzzParse shows that Parse accepts its own result and does not change it.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"ada@example.org", "Grete@Bücher.example", "a@xn--bcher-kva.example", "a@ｅｘａｍｐｌｅ。org",
		"ß@ß", "a@faß.de", "a@\u200dx.org", " A <mailto:a@b.c.>", "a@b.c,d@e.f", "<@.>", ">",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		address, err := Parse(s)
		if surplus, ok := errors.AsType[*Surplus](err); ok {
			if _, err := Parse(surplus.Address); err != nil {
				t.Errorf("%q is told to give %q: %v", s, surplus.Address, err)
			}
		}
		if err != nil {
			return
		}
		again, err := Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, again, address)
		expect.AtMost(t, len(address), Max)
		expect.Equal(t, strings.ContainsAny(address, " \r\n\x00<>\""), false, `address has any of " \r\n\x00<>\""`)
		expect.Lacks(t, address, "=?")
	})
}
