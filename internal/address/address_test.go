package address

import (
	"strings"
	"testing"

	"frontdesk/internal/expect"
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
	for name, c := range map[string]struct{ in, want string }{
		"nothing":                    {"", "is missing"},
		"no @":                       {"ada", `"ada" is not a valid e-mail address: it has no @`},
		"no local part":              {"@example.org", "is not a valid e-mail address"},
		"no domain":                  {"ada@", "its domain is not a valid host name"},
		"a display name":             {"Ada <ada@example.org>", "is not a valid e-mail address"},
		"angle brackets":             {"<ada@example.org>", "is not a valid e-mail address"},
		"a comment":                  {"ada(x)@example.org", "is not a valid e-mail address"},
		"space around":               {" ada@example.org ", "is not a valid e-mail address"},
		"two addresses":              {"a@example.org,b@example.org", "is not a valid e-mail address"},
		"a quoted local part":        {`"a b"@example.org`, "is not a valid e-mail address"},
		"a quoted local part with @": {`"a@b"@example.org`, "is not a valid e-mail address"},
		"two dots":                   {"a..b@example.org", "is not a valid e-mail address"},
		"a dot at the end":           {"a.@example.org", "is not a valid e-mail address"},
		"a local part beyond ASCII":  {"grüße@example.org", "the part before the @ must be ASCII"},
		"an encoded word":            {"=?utf-8?q?ada?=@example.org", "the part before the @ must not contain =?"},
		"the beginning of one":       {"ada=?x@example.org", "the part before the @ must not contain =?"},
		"a local part of 65 bytes":   {a64 + "a@example.org", "the part before the @ is longer than 64 bytes"},
		"255 bytes":                  {"abcdefghij@" + domain, "is longer than 254 bytes"},
		"a thousand bytes and more":  {strings.Repeat("a", 1017), "is longer than 254 bytes"},
		"a domain with a space":      {"ada@exa mple.org", "its domain is not a valid host name"},
		"an empty label":             {"ada@example..org", "is not a valid host name"},
		"a dot after the domain":     {"ada@example.org.", "is not a valid"},
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

// FuzzParse shows that Parse accepts its own result and does not change it.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"ada@example.org", "Grete@Bücher.example", "a@xn--bcher-kva.example", "a@ｅｘａｍｐｌｅ。org",
		"ß@ß", "a@faß.de", "a@\u200dx.org",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		address, err := Parse(s)
		if err != nil {
			return
		}
		again, err := Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, "again", again, address)
		expect.AtMost(t, "len(address)", len(address), Max)
		expect.Equal(t, `address has any of " \r\n\x00<>\""`, strings.ContainsAny(address, " \r\n\x00<>\""), false)
		expect.Lacks(t, "address", address, "=?")
	})
}
