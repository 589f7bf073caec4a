package plaintext

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// hostile are pages that could take more than linear time, each as a beginning and a repeated unit.
var hostile = map[string][2]string{
	"rows":   {"<table>", "<tr><td>a<td>b"},
	"tables": {"", "<table><tr><td>a<td>"},
	"cells":  {"<table><tr>", "<td>a"},
	"data":   {"", "<table><tr><td>a<td>b<td>c<tr><td>a<td><td>"},
	"spans": {
		"<table><tr><td>a" + strings.Repeat("<td rowspan=65534>a", 62) + "<td>a", "<tr><td>b<td>c",
	},
	"nested spans": {"", "<table><tr><td>a<td rowspan=9>b<td>c<tr><td colspan=1000>"},
	"struck out":   {"<s>", "a<br><p><del>b</del>"},
	"rules":        {"<style>.a{opacity:1}</style>", "<style>a.a,b.a,.a{opacity:1}</style><i class='a a a a'>x</i>"},
	"descendants":  {"<style>" + strings.Repeat("b i b,", 99) + "i{opacity:1}</style>", "<b><i>x</i></b>"},
	"selectors":    {"<style>", "i b i i>i,"},
	"declarations": {"<p style='", "font:0/0 a;"},
	"bold":         {"", "<b>a</b>"},
	"links":        {"", "<a href=x></a>"},
	"bare links":   {"<table><tr>", "<td><a href=/x></a>"},
	"items":        {"", "<ul><li>"},
	"counted down": {"", "<ol reversed><li>"},
	"padding":      {"", "&nbsp;&zwnj;"},
	"quotations":   {"", "<blockquote>a</blockquote>"},
	"headings":     {"", "<h1>a<br></h1>"},
	"a paragraph":  {"<p>", "one word after the other "},
	"classes":      {"<style>" + strings.Repeat(".a.b{display:none}", mostPerName) + "</style><p class='", "a "},
	"a step of many classes": {
		"<style>" + strings.Repeat(strings.Repeat(".a", 200)+"{display:none}", mostPerName) + "</style>",
		"<p class=a>x",
	},
	"sheets":                {"", "<style>.a.b i>.c{display:none}</style>"},
	"a base":                {"<base href=https://e.org/" + strings.Repeat("b", 100_000) + "/>", "<a href=x>y</a>"},
	"a base of the longest": {"<base href=https://e.org/" + strings.Repeat("b", 2000) + "/>", "<a href=..></a>"},
	"links in a heading":    {"<base href=https://e.org/" + strings.Repeat("b", 2000) + "/><h1>", "<a href=x>y</a>"},
	"a link with a path":    {"<base href=https://e.org/><a href='", "a/../"},
	"a link of addresses":   {"<a href='mailto:", "%61@b.org,"},
	"an address many times": {"<a href=mailto:a@b.org,c@d.org>", "a@b.org "},
	"feet":                  {"<table>", "<tfoot><tr><td>a<thead><tr><td>b"},
	"prices":                {"<table><tr><td>", "1<sup>9</sup>"},
	"bold in pieces":        {"<b>" + strings.Repeat("-", 5000) + "a</b>", "<b></b>"},
	"deep quotations":       {strings.Repeat("<blockquote>", 400), "<br>a"},
	"a deep row":            {strings.Repeat("<table><tr><td>a<td>", 100), "a "},
}

// hostilePage returns the page of that name, with about size bytes after its beginning.
func hostilePage(name string, size int) string {
	before, unit := hostile[name][0], hostile[name][1]
	return before + strings.Repeat(unit, size/len(unit)) + closer
}

// closer ends what a page may leave open: an attribute and its tag, a comment, a sheet or a title. The parser drops an
// attribute that does not end.
const closer = "'>x-->x</style>x</title>x"

// growing are pages that grow in two places.
var growing = map[string]func(n int) string{
	"classes and rules": func(n int) string {
		return "<style>" + strings.Repeat(".a.b{float:left}", n) + "</style><p class='" +
			strings.Repeat("a ", n) + closer
	},
	"classes of a rule, and elements": func(n int) string {
		return "<style>" + strings.Repeat(".a", n) + "{float:left}</style>" + strings.Repeat("<p class=a>", n)
	},
	"ids and rules": func(n int) string {
		return "<style>" + strings.Repeat("#a{float:left}", n) + "</style><p " + strings.Repeat("id=a ", n) + ">x"
	},
	"a base and links": func(n int) string {
		return "<base href=https://e.org/" + strings.Repeat("b", n) + "/>" + strings.Repeat("<a href=x>y</a>", n)
	},
	"a base and links without text": func(n int) string {
		return "<base href=https://e.org/" + strings.Repeat("b", n) + "/>" + strings.Repeat("<a href=..></a>", n)
	},
	"bold text and its pieces": func(n int) string {
		return "<b>" + strings.Repeat("-", n) + "a</b>" + strings.Repeat("<b></b>", n)
	},
	"a long cell in many tables": func(n int) string {
		return strings.Repeat("<table><tr><td>( http<td>", 100) + strings.Repeat("a ", n)
	},
}

// A hostile page is made of one of openers, or of none, and of one of units, which is repeated.
var (
	openers = []string{
		"", "<p class='", "<p style='", "<p id='", "<a href='", "<img alt='", "<base href='https://e.org/", "<style>",
		"<style media='", "<style>@media ", "<style>.a", "<style>a{", "<h1>", "<b>", "<blockquote>x</blockquote>",
		"<pre>", "<ol reversed>", "<table><tr>", "<table><tr><td>", "<s>", "<base href=https://e.org/x/><h2>",
		"<a href='mailto:", "<!--", "<title>", "<p style='font:", "<p style='margin:",
		"<style>p .a.b{float:left}p.b>.a{float:left}</style><p class='a b",
	}
	units = []string{
		"a ", ".a", "-", "&nbsp;", "&amp", "'", "''>", "<p>", "</p>", "<br>", "<b>", "</b>", "<b></b>", "<b>a</b>",
		"<s>", "</s>", "<h1>", "</h1>", "</blockquote>x", "<ul><li>", "</ul>", "<li>x", "<table>", "<tr>x", "<td>x",
		"</table>", "<a href=x>", "</a>", "<a href=..></a>", "<p class=a>x", "<p class='a b a'>",
		"<div style=float:left>x", "<style>", "</style>", "<!--", "/*", "*/", "{", "}", ";", "a:b;", "a,", ">",
		"@media screen{", "@a{", ":", "0", "../", "%61", "@b,", "<i a=b>", "<svg>", "<template>", "<img alt=x>",
		"<base href=https://e.org/>", "\n", "  ", "漢", "1<sup>9</sup>", "<tfoot>x", "<pre> a",
	}
)

// TestConversionIsLinear counts the steps by which a conversion ends in time. A page twice as large may take little
// more than twice as many, by its tree and by its tokens. Package steps counts all that they do.
func TestConversionIsLinear(t *testing.T) {
	for name := range hostile {
		linear(t, name, 40_000, func(size int) string { return hostilePage(name, size) })
	}
	for name, page := range growing {
		linear(t, name, 5_000, page)
	}
	for _, opener := range openers {
		for _, unit := range units {
			linear(t, opener+"…"+unit, 1_000, func(size int) string {
				return opener + strings.Repeat(unit, size/len(unit)) + closer
			})
			linear(t, "…"+opener+unit, 1_000, func(size int) string {
				return strings.Repeat(opener+unit+closer, size/len(opener+unit+closer))
			})
		}
	}
}

// linear compares a page with one that is twice as large. The parser makes more elements than the page has tags, so the
// steps of a tree are told for the size of the tree. A page that is nested too deep has none.
func linear(t *testing.T, name string, size int, page func(size int) string) {
	t.Helper()
	compare := func(by string, cost func(source string) (steps, size int)) {
		steps, once := cost(page(size))
		steps2, twice := cost(page(2 * size))
		if once > 0 && twice > 0 && steps2*2*once/twice > 3*steps+size {
			t.Errorf("%s: %d steps by its %s for a size of %d, but %d for one of %d",
				name, steps, by, once, steps2, twice)
		}
	}
	compare("tree", func(source string) (steps, size int) {
		doc, err := html.Parse(strings.NewReader(source))
		if err != nil {
			return 0, 0
		}
		e := newEffort(time.Hour)
		_, _ = shape(doc, e)
		return e.steps, weight(doc)
	})
	compare("tokens", func(source string) (steps, size int) {
		e := newEffort(time.Hour)
		_, _ = fromTokens(source, e)
		return e.steps, len(source)
	})
}

// weight counts the nodes of a tree, and the bytes in them.
func weight(n *html.Node) int {
	size := 10 + len(n.Data)
	for _, a := range n.Attr {
		size += len(a.Key) + len(a.Val)
	}
	for child := range n.ChildNodes() {
		size += weight(child)
	}
	return size
}

// BenchmarkShape shows that the time grows linearly with the size of a page.
func BenchmarkShape(b *testing.B) {
	for name := range hostile {
		for _, size := range []int{10_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				source := hostilePage(name, size)
				b.SetBytes(int64(len(source)))
				for b.Loop() {
					FromHTML(source)
				}
			})
		}
	}
}
