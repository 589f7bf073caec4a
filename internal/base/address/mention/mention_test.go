package mention

import (
	"io"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestWithin shows which addresses may stand in a text, and that none has a local part that is too long.
func TestWithin(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"an address": {"ada@example.org", []string{"ada@example.org"}},
		"in a URL": {"https/to=ada%40example.org", []string{
			"ada@example.org", "https/to=ada@example.org", "to=ada@example.org",
		}},
		"between marks":        {"//'ada'@example.org.", []string{"ada@example.org"}},
		"64 bytes":             {strings.Repeat("a", 64) + "@b.org", []string{strings.Repeat("a", 64) + "@b.org"}},
		"65 bytes":             {strings.Repeat("a", 65) + "@b.org", nil},
		"behind a longer text": {strings.Repeat("a", 65) + "/ada@b.org", []string{"ada@b.org"}},
	} {
		t.Run(name, func(t *testing.T) { expect.Equal(t, Within(c.in), c.want, "Within(in)") })
	}
}

// TestMentionsAreFoundInLinearTime reads texts that mail servers may send, made of all pairs of these pieces. It counts
// the bytes of memory, and the characters that the expression reads to find each address.
func TestMentionsAreFoundInLinearTime(t *testing.T) {
	pieces := []string{
		"", "a/", "/", "@", "a@b", " ", `"`, `\"`, `\`, `"a@b `, `\"a@b `,
		"%40", "%61", `\u0040`, ".", "é", "。", "a@b.c,",
		`"a"@b `, `\" a@b `,
	}
	for _, one := range pieces {
		for _, other := range pieces {
			if one+other == "" {
				continue
			}
			for _, text := range []func(size int) string{
				func(size int) string { return strings.Repeat(one+other, size/len(one+other)) + "@x" },
				func(size int) string { return one + strings.Repeat(other, size/max(1, len(other))) + "@x" },
			} {
				const size = 300
				expect.LinearMemory(t, one+other, size, func(size int) func() {
					in := text(size)
					return func() {
						Replace(in, func(found string, forms []string) string {
							_ = slices.Concat(forms, Within(found))
							return found
						})
					}
				})
				expect.Linear(t, one+other+": characters", size,
					charactersRead(text(size)), charactersRead(text(2*size)))
			}
		}
	}
}

// charactersRead returns how many characters the expression reads of a text to find all matches.
func charactersRead(text string) (read int) {
	for text != "" {
		r := &counter{RuneReader: strings.NewReader(text)}
		at := anAddress().FindReaderIndex(r)
		read += r.read
		if at == nil {
			break
		}
		text = text[max(1, at[1]):]
	}
	return read
}

type counter struct {
	io.RuneReader
	read int
}

func (c *counter) ReadRune() (r rune, size int, err error) {
	c.read++
	return c.RuneReader.ReadRune()
}
