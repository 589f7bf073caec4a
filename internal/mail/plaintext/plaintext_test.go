package plaintext

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestHTMLBecomesPlainText shows the conversion of the most common elements.
func TestHTMLBecomesPlainText(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"paragraphs":       {"<p>one</p><p>two</p>", "one\n\ntwo"},
		"a link":           {`<a href="https://example.org/">here</a>`, "here ( https://example.org/ )"},
		"a list":           {"<ul><li>a</li><li>b</li></ul>", "* a\n* b"},
		"bold":             {"<b>loud</b>", "*loud*"},
		"style and script": {"<style>p{}</style><script>x()</script>text", "text"},
		"an image's":       {`<a href="https://example.org/"><img alt="logo"></a>`, "logo ( https://example.org/ )"},
		"entities":         {"a&amp;b&nbsp;&euro;", "a&b\u00a0€"},
		"no HTML at all":   {"just text", "just text"},
		"nothing":          {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := FromHTML(c.in); err != nil || got != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// TestHostileHTMLIsNotConverted: the bounds refuse pages for which html2text would take minutes or gigabytes. No
// conversion may start for any of them.
func TestHostileHTMLIsNotConverted(t *testing.T) {
	for name, c := range map[string]struct{ in, why string }{
		"5 MB inside 500 b": {
			strings.Repeat("<b>", 500) + strings.Repeat("hello world ", 5<<20/12), "it is over 1048576 bytes",
		},
		"1 MB inside 500 b": {
			strings.Repeat("<b>", 500) + strings.Repeat("hello ", 170_000), "nested over 16 deep",
		},
		"500 blockquote": {strings.Repeat("<blockquote>", 500) + "x", "nested over 16 deep"},
		"240 h1 and div": {strings.Repeat("<h1><div>", 240) + "x", "nested over 16 deep"},
		"17 levels":      {strings.Repeat("<strong>", 17) + "x", "nested over 16 deep"},
		"1 MB on one line inside 16 h1": {
			strings.Repeat("<h1><div>", 16) + strings.Repeat("hello ", 170_000), "too much of it",
		},
		"1 MB of links inside 16 quotations": {
			strings.Repeat("<blockquote>", 16) + strings.Repeat("<a href='"+strings.Repeat("x", 1000)+"'></a>", 1000),
			"too much of it",
		},
		"500 elements opened anew by each paragraph": {
			hostileParagraphs(1 << 20), "it takes too much memory or time to parse",
		},
		"a million attributes of one body": {
			hostileBodies(1 << 20), "it takes too much memory or time to parse",
		},
		"600 div inside each other": {strings.Repeat("<div>", 600) + "x", "nested over 512 deep"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := convert(c.in); err == nil || !strings.Contains(err.Error(), c.why) {
				t.Errorf("error %v, want %q", err, c.why)
			}
		})
	}
}

// hostileParagraphs returns a page for which the parser opens 500 elements anew in each paragraph.
func hostileParagraphs(size int) string {
	var page strings.Builder
	page.WriteString("<p>")
	for i := range 500 {
		fmt.Fprintf(&page, "<i a=%d>", i)
	}
	for page.Len() < size-4 {
		page.WriteString("<p>x")
	}
	return page.String()
}

// hostileBodies returns a page for which the parser compares each attribute with all others.
func hostileBodies(size int) string {
	var page strings.Builder
	for i := 0; page.Len() < size-20; i++ {
		fmt.Fprintf(&page, "<body a%d>", i)
	}
	return page.String()
}

// TestTheWorstThatIsConvertedStaysSmall converts pages that just pass the bounds, and measures all memory that this
// allocates, garbage included.
func TestTheWorstThatIsConvertedStaysSmall(t *testing.T) {
	const most = 1 << 30 // bytes; pages over the bounds take several to a hundred times as much
	// fill repeats unit after before, as often as the bounds allow.
	fill := func(before, unit string) string {
		for n := (maxConverted - len(before)) / len(unit); ; n = n * 9 / 10 {
			in := before + strings.Repeat(unit, n)
			if _, err := parse(in); err == nil {
				return in
			}
		}
	}
	for name, in := range map[string]string{
		"16 h1 on one line":    fill(strings.Repeat("<h1><div>", 16), "hello "),
		"16 h2 of many lines":  fill(strings.Repeat("<h2><div>", 16), "<br>a"),
		"16 blockquote":        fill(strings.Repeat("<blockquote>", 16), "hello"),
		"16 b":                 fill(strings.Repeat("<b>", 16), "hello "),
		"quotations in a row":  fill("", strings.Repeat("<blockquote>", 16)+"a"+strings.Repeat("</blockquote>", 16)),
		"tables":               fill("", "<table><tr><td>a"),
		"a megabyte of breaks": fill("", "<br>"),
		"a megabyte of spaces": fill("<p>", " \n"),
		"a megabyte of links":  fill("", "<a href=x>y</a>"),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := convert(in); err != nil {
				t.Error(err)
			}
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("%d bytes of HTML took %d of memory", len(in), took)
			}
		})
	}
}
