package plaintext

import (
	"strings"
	"testing"
)

// TestTheJudgeSeesEachFault shows the judge a page with a misleading text, in which it must find the fault. Then it
// must find no fault in the text that FromHTML makes of the page.
func TestTheJudgeSeesEachFault(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ page, misleading, fault string }{
		"a button that Outlook alone hides": {
			"<p>Sale</p><span style='mso-hide:all'><a href=https://x.example/>Buy</a></span>", "Sale", "words lost",
		},
		"a price that is crossed out": {"<s>€1519</s>€1199", "€1519€1199", "struck-out text unmarked"},
		"a link to share": {
			"<a href='mailto:?subject=x'>Tell a friend</a>", "Tell a friend ( ?subject=x )", "link to share",
		},
		"the subject of a link to an address": {
			"<a href='mailto:a@b.example?subject=x'>Write</a>", "Write ( a@b.example?subject=x )", "link to share",
		},
		"an escaped address": {
			"<a href='mailto:a%40b.example?subject=x'>Write</a>", "Write ( a%40b.example )", "escaped address",
		},
		"a relative link": {
			"<base href=https://e.org><a href=/x>a</a>", "a ( /x )", "link without its base",
		},
		"an item's own value": {"<ol><li>a<li value=7>b</ol>", "1. a\n2. b", "number of another item"},
		"letters of items":    {"<ol type=A><li>a<li>b</ol>", "1. a\n2. b", "number of another item"},
		"a start of 0":        {"<ol start=0><li>a<li>b</ol>", "1. a\n2. b", "number of another item"},
		"items that are counted down": {
			"<ol reversed><li>a<li>b<li>c</ol>", "1. a\n2. b\n3. c", "number of another item",
		},
		"a link behind a long heading": {
			"<h1><a href=https://e.org>" + strings.Repeat("漢", 100) + "</a></h1>",
			strings.Repeat("漢", 100) + "( https://e.org )", "glued to a link",
		},
		"a long run in a quotation": {
			"<blockquote>" + strings.Repeat("漢", 100) + "<br>a</blockquote>",
			"> " + strings.Repeat("漢", 100) + "\n> \n> a", "empty line of a quotation",
		},
		"a quotation that ends with another": {
			"<blockquote>a<blockquote>b</blockquote></blockquote>c", "> a\n> \n>> b\n> \n> \n\nc",
			"empty line of a quotation",
		},
		"an amount below another heading": {
			"<table><tr><td>Item<td>Tax<td>Sum<tr><td>Fee<td><td>5.00</table>", "Item | Tax | Sum\nFee | 5.00",
			"amount in another column",
		},
		"a heading above another column": {
			"<table><tr><td><td>Tax<td>Sum<tr><td>Fee<td>1<td>5.00</table>", "Tax | Sum\nFee | 1 | 5.00",
			"amount in another column",
		},
		"an amount of a table in which each row lacks a cell": {
			"<table><tr><td><th>Debit<th>Credit<tr><td>Rent<td>500<td><tr><td>Salary<td><td>900</table>",
			"| Debit | Credit\nRent | 500\nSalary | 900", "amount in another column",
		},
		"an amount behind a cell over several columns": {
			"<table><tr><th>Item<th>Qty<th>Price<tr><td>Tent<td>1<td>12.00<tr><td colspan=2>Total<td>12.00</table>",
			"Item | Qty | Price\nTent | 1 | 12.00\nTotal | 12.00", "amount in another column",
		},
		"a time below a cell over several rows": {
			"<table><thead><tr><th>Day<th>From<th>To<tbody><tr><td rowspan=2>Mon<td>8<td>9<tr><td>10<td>11</table>",
			"Day | From | To\nMon | 8 | 9\n10 | 11", "amount in another column",
		},
		"a cell of two lines": {
			"<table><tr><td>a<td>b<td>c<tr><td>Tent<br>green<td>2<td>5.00</table>", "a | b | c\nTent\ngreen\n2\n5.00",
			"row of data on many lines",
		},
		"a cell of a list": {
			"<table><tr><td>a<td>b<td>c<tr><td>Fee<ul><li>x<li>y</ul><td><td>5.00</table>",
			"a | b | c\nFee\n\n* x\n* y\n\n5.00", "row of data on many lines",
		},
		"hidden by an id":      {"<style>#a{display:none}</style><p id=a>no one</p>b", "no one\n\nb", "hidden text"},
		"hidden by an element": {"<style>u{display:none}</style><u>no one</u> b", "no one b", "hidden text"},
		"hidden within another": {
			"<style>.a u{display:none}</style><p class=a><u>no one</u> b", "no one b",
			"hidden text",
		},
		"hidden for all screens": {
			"<style>@media screen{u{display:none}}</style><u>no one</u> b", "no one b",
			"hidden text",
		},
		"hidden for screens of every width": {
			"<style>@media screen{@media (min-width:0){u{display:none}}}</style><u>no one</u> b", "no one b",
			"hidden text",
		},
		"shown by an important rule": {
			"<style>.a{display:block!important}</style><p class=a style=display:none>one</p>b", "b", "words lost",
		},
		"hidden by an important rule": {
			"<style>.a{display:none!important}</style><p class=a style=display:block>no one</p>b", "no one\n\nb",
			"hidden text",
		},
		"without height": {
			"<div style='height:0;overflow:hidden'>no one</div>b", "no one\nb", "hidden text",
		},
		"without height, in one direction": {
			"<div style='height:0;overflow-y:hidden'>no one</div>b", "no one\nb", "hidden text",
		},
		"a block by a rule": {
			"<style>div u{display:block}</style><div>a<u>b</u></div>", "ab",
			"words glued or split",
		},
		"a flexible row without spaces": {
			"<div style=display:flex><i>a</i><i>b</i></div>", "ab",
			"words glued or split",
		},
		"floats without spaces": {
			"<i style=float:left>a</i><i style=float:right>b</i>", "ab", "words glued or split",
		},
		"cents of a price": {"<p>$19<sup>99</sup></p>", "$1999", "number of two"},
		"a lowered number": {"<p>$19<sub>99</sub></p>", "$1999", "number of two"},
		"a total above what it adds up": {
			"<table><tfoot><tr><td>Total<td>5<tbody><tr><td>Tent<td>5</table>", "Total | 5\nTent | 5",
			"foot above its rows",
		},
		"an address in brackets": {
			"<a href=mailto:a@b.example>&lt;a@b.example&gt;</a>", "<a@b.example> ( a@b.example )", "link said twice",
		},
		"an address with its scheme": {
			"<a href=mailto:a@b.example>mailto:a@b.example</a>", "mailto:a@b.example ( a@b.example )",
			"link said twice",
		},
		"spaces that style keeps": {"<p style=white-space:pre-wrap>a  b\nc", "a b\nc", "spaces lost"},
		"a table in a font of 0, in quirks mode": {
			"<div style=font-size:0><table><tr><td>Sale</table></div>", "", "words lost",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := readPage(c.page)
			if faults[c.fault](p, c.misleading) == "" {
				t.Errorf("the judge sees no %q in %q", c.fault, c.misleading)
			}
			text, err := FromHTML(c.page)
			if err != nil {
				t.Fatal(err)
			}
			for fault, found := range faults {
				if what := found(p, text); what != "" {
					t.Errorf("%s in %q: %q", fault, text, what)
				}
			}
		})
	}
}
