package personaldata_test

import (
	"testing"

	"frontdesk/internal/operate/personaldata"
	"frontdesk/internal/prove/expect"
)

// TestAnAddressIsFoundInTexts shows that the address is found wherever it stands in a text, and that no other address
// is taken for it.
func TestAnAddressIsFoundInTexts(t *testing.T) {
	t.Parallel()
	// Addresses are given in their normal form, as Find returns them.
	const ada, tagged, irish = "ada@xn--bcher-kva.example", "ada+news@example.org", "o'brien@example.org"
	for name, c := range map[string]struct {
		address, text string
		want          bool
	}{
		"alone":                             {ada, "ada@xn--bcher-kva.example", true},
		"in other letters":                  {ada, "ADA@Bücher.EXAMPLE", true},
		"behind a name":                     {ada, "Ada <ada@bücher.example>", true},
		"in quotes":                         {ada, `"ada@bücher.example" and 'ada@bücher.example'`, true},
		"in a sentence":                     {ada, "I asked ada@bücher.example.", true},
		"in Markdown":                       {ada, "**ada@bücher.example**", true},
		"behind a line end of JSON":         {ada, `{"note":"Her address:\nada@bücher.example\nHer phone: 1"}`, true},
		"in brackets that JSON has escaped": {ada, `{"boss":"Ada \u003cada@bücher.example\u003e"}`, true},
		"beside one with an escaped @":      {ada, `{"b":"ada\u0040bücher.example, ada@bücher.example"}`, true},
		"in the query of a URL":             {ada, "https://example.com/?a=1&email=ada@bücher.example&b=2", true},
		"in a URL, with escapes":            {ada, "https://example.com/?to=%3Cada%40xn--bcher-kva.example%3E", true},
		"in a mailto with a subject":        {ada, "mailto:ada@bücher.example?subject=Hello", true},
		"in the path of a URL":              {ada, "https://example.com/of/ada@bücher.example/mails", true},
		"between bars":                      {ada, "x|ada@bücher.example|y", true},
		"behind another address":            {ada, "ben@example.org/ada@bücher.example", true},
		"in a script without spaces":        {ada, "请联系ada@xn--bcher-kva.example谢谢", true},
		"before a dash":                     {ada, "ada@bücher.example—she", true},
		"with a tag":                        {tagged, "Ada+News@example.org", true},
		"in a URL, its domain in UTF-8":     {ada, "https://example.com/?to=ada%40b%C3%BCcher.example", true},
		"in a URL, in lower-case escapes":   {ada, "https://example.com/?to=ada%40b%c3%bccher.example", true},
		"with a tag in a URL":               {tagged, "https://example.com/?u=ada%2Bnews%40example.org", true},
		"with a tag that JSON has escaped":  {tagged, `{"a":"ada\u002Bnews@example.org"}`, true},
		"with a quote":                      {irish, "'o'brien@example.org'", true},
		"another tag":                       {tagged, "ada@example.org, ada+new@example.org", false},
		"what ends alike":                   {ada, "mada@bücher.example x.ada@bücher.example", false},
		"what ends alike, with a tag":       {"news@example.org", "ada+news@example.org", false},
		"what ends alike, with a quote":     {"brien@example.org", "o'brien@example.org", false},
		"a longer domain":                   {"ada@example.co", "ada@example.co.uk", false},
		"a domain that begins alike":        {"ada@example.org", "ada@example.organic ada@example.org-x.de", false},
		"a domain above":                    {"ada@example.org", "ada@mail.example.org", false},
		"the part before the @ alone":       {ada, "ada", false},
		"many marks in a row":               {ada, "@@@@/=/=/=@%40%40", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect.Equal(t, personaldata.Person{Address: c.address}.NamedIn(c.text), c.want, "found")
		})
	}
}
