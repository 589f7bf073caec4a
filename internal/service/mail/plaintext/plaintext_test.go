package plaintext

import (
	"cmp"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"

	"golang.org/x/net/html"
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

// TestHostileHTMLIsNotConverted: the bounds refuse pages that would take minutes or gigabytes. The error says which.
func TestHostileHTMLIsNotConverted(t *testing.T) {
	quoted := strings.Repeat("<blockquote>", 500)
	for name, c := range map[string]struct {
		in, why string
		within  time.Duration // for a page that the clock alone stops; 0 for an hour
	}{
		"5 MB": {in: strings.Repeat("hello world ", 5<<20/12), why: "it is over 1048576 bytes"},
		"500 elements opened anew by each paragraph": {
			in: hostileParagraphs(1 << 20), why: "it takes too much memory or time to parse",
		},
		"a million attributes of one body": {
			in: hostileBodies(1 << 20), why: "it takes too much memory or time to parse", within: 50 * time.Millisecond,
		},
		"600 div inside each other": {in: strings.Repeat("<div>", 600) + "x", why: "nested over 512 deep"},
		"10,000 lines of 500 quotations": {
			in: quoted + strings.Repeat("<br>a", 10_000), why: "its text is over 4194304 bytes",
		},
		"50,000 links of a long base": {
			in: "<base href=https://e.org/" + strings.Repeat("b", 2000) + "/>" +
				strings.Repeat("<a href=x>y</a>", 50_000),
			why: "its text is over 4194304 bytes",
		},
		"50,000 links of a long base in a heading": {
			in: "<base href=https://e.org/" + strings.Repeat("b", 2000) + "/><h1>" +
				strings.Repeat("<a href=x>y</a>", 50_000),
			why: "its text is over 4194304 bytes",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := convert(c.in, newEffort(cmp.Or(c.within, time.Hour)))
			if err == nil || !strings.Contains(err.Error(), c.why) {
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

// TestTheWorstThatIsConvertedStaysSmall converts pages of a megabyte, and measures all memory that this allocates,
// garbage included.
func TestTheWorstThatIsConvertedStaysSmall(t *testing.T) {
	const most = 512 << 20 // bytes; the parser alone may take 128 MiB
	fill := func(before, unit string) string {
		return before + strings.Repeat(unit, (maxConverted-len(before))/len(unit))
	}
	for name, in := range map[string]string{
		"h1 on one line":       fill(strings.Repeat("<h1><div>", 200), "hello "),
		"h2 of many lines":     fill(strings.Repeat("<h2><div>", 200), "<br>a"),
		"400 blockquote":       fill(strings.Repeat("<blockquote>", 400), "hello"),
		"400 b":                fill(strings.Repeat("<b>", 400), "hello "),
		"quotations in a row":  fill("", strings.Repeat("<blockquote>", 16)+"a"+strings.Repeat("</blockquote>", 16)),
		"tables":               fill("", "<table><tr><td>a"),
		"a megabyte of breaks": fill("", "<br>"),
		"a megabyte of spaces": fill("<p>", " \n"),
		"a megabyte of links":  fill("", "<a href=x>y</a>"),
		"links of a long base": fill("<base href=https://e.org/"+strings.Repeat("b", 2000)+"/>", "<a href=x>y</a>"),
		"links of a base that is too long": fill(
			"<base href=https://e.org/"+strings.Repeat("b", 100_000)+"/>", "<a href=x>y</a>"),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _ = convert(in, newEffort(time.Hour))
			runtime.ReadMemStats(&after)
			expect.AtMost(t, after.TotalAlloc-before.TotalAlloc, most, "bytes of memory")
		})
	}
}

// TestConversionStopsInTime: a conversion whose time is over ends with the steps between two looks at the clock, in
// whatever loop it is, and leaves no goroutine.
func TestConversionStopsInTime(t *testing.T) {
	const most = 2*stepsBetweenLooks + 512*4 // each loop around the one that stops asks once more
	goroutines := runtime.NumGoroutine()
	for name := range hostile {
		page := hostilePage(name, 30_000)
		for by, convert := range map[string]func(string, *effort) (string, error){
			"tree": shapeOf, "tokens": fromTokens,
		} {
			whole := newEffort(time.Hour)
			_, _ = convert(page, whole)
			late := newEffort(-time.Hour)
			late.steps = 1 // the next look comes in the middle
			text, err := convert(page, late)
			if whole.steps > most && (err != errTooSlow || text != "") || late.steps > most {
				t.Errorf("%s by its %s: error %v after %d steps of %d", name, by, err, late.steps, whole.steps)
			}
		}
	}
	if now := runtime.NumGoroutine(); now > goroutines {
		t.Errorf("%d goroutines before, %d after", goroutines, now)
	}
}

// shapeOf is convert without the bounds of package htmlparse.
func shapeOf(source string, e *effort) (string, error) {
	doc, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return "", err
	}
	return shape(doc, e)
}
