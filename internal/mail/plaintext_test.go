package mail

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestAdversarial(t *testing.T) {
	fill := func(pre, unit, post string) string {
		n := (maxConverted - len(pre) - len(post)) / len(unit)
		return pre + strings.Repeat(unit, n) + post
	}
	for name, in := range map[string]string{
		"16 b":                fill(strings.Repeat("<b>", 16), "hello world ", ""),
		"16 h1div":            fill(strings.Repeat("<h1><div>", 16), "hello world ", ""),
		"16 h1div long words": fill(strings.Repeat("<h1><div>", 16), "hello", ""),
		"16 bq":               fill(strings.Repeat("<blockquote>", 16), "hello world ", ""),
		"16 bq nospace":       fill(strings.Repeat("<blockquote>", 16), "hello", ""),
		"16 bq br":            fill(strings.Repeat("<blockquote>", 16), "<br>", ""),
		"16 bq div":           fill(strings.Repeat("<blockquote>", 16), "<br>a", ""),
		"siblings bq":         fill("", "<blockquote>a</blockquote>", ""),
		"siblings deep":       fill("", strings.Repeat("<blockquote>", 16)+"a"+strings.Repeat("</blockquote>", 16), ""),
		"siblings h1":         fill("", strings.Repeat("<h1><div>", 16)+"a"+strings.Repeat("</div></h1>", 16), ""),
		"siblings b":          fill("", strings.Repeat("<b>", 16)+"a"+strings.Repeat("</b>", 16), ""),
		"h1 br":               fill(strings.Repeat("<h1><div>", 16), "<br>a", ""),
		"h1 p":                fill(strings.Repeat("<h1><div>", 16), "<p>a", ""),
		"deep div":            fill("", "<div>", ""),
		"deep a":              fill("", "<a href=x>", ""),
		"deep a b":            fill("", "<a href=x><b>", ""),
		"deep font":           fill("", "<font><i>", ""),
		"tables":              fill("", "<table>", ""),
		"tables td":           fill("", "<table><tr><td>", ""),
		"href long":           fill("", "<p><a href='"+strings.Repeat("x", 1000)+"'>", ""),
		"unclosed p in b":     fill("<b>", "<p>", ""),
		"li":                  fill("", "<ul><li>", ""),
		"pre":                 fill("<pre>", "a\n", ""),
		"bq pre":              fill("<blockquote><pre>", "a \n", ""),
		"select":              fill("", "<select><option>", ""),
		"svg":                 fill("<svg>", "<g>", ""),
		"attrs":               fill("<p ", "a ", ">"),
		"attrs2":              fill("<p ", "a=b ", ">"),
		"many forms":          fill("", "<form>", ""),
		"nobr":                fill("", "<nobr><i>", ""),
		"aaa b i":             fill("", "<i><u>a", ""),
	} {
		s := time.Now()
		out, err := convert(in)
		d := time.Since(s)
		if d > 300*time.Millisecond {
			fmt.Println(name, d, len(out), err)
		}
	}
}
