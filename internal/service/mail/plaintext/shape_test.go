package plaintext

import (
	"strings"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"

	"github.com/jaytaylor/html2text"
)

// TestThePlainTextHasTheBlocksOfTheHTML shows what a reader of the HTML sees, in text: rows and cells, lists,
// headings, bold and struck-out text, links, styles that hide or show, white space and quotations.
func TestThePlainTextHasTheBlocksOfTheHTML(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"cents of a price are apart from it": {
			"<style>.c{vertical-align:super}</style><p>$19<sup>99</sup> $<sup>49</sup>00 <b>$5<sup>95</sup></b> " +
				"$49<sup>1</sup>.</p><p>7<span style='font-size:9px;vertical-align:top'>50</span> 8<sub>90</sub> " +
				"9<i class=c>00</i> 1<sup style=vertical-align:baseline>0</sup>",
			"$19^99 $49 00 *$5^95* $49^1.\n\n7^50 8_90 9^00 10",
		},
		"a power, a footnote and a fraction": {
			"10<sup>6</sup> m<sup>2</sup> 10<sup>-3</sup> free<sup>1</sup> 2<sup><a href=#n>3</a></sup> " +
				"1<sup>1</sup>/<sub>2</sub>",
			"10^6 m^2 10^-3 free^1 2^3 1^1/2",
		},
		"a base of numbers": {"log<sub>2</sub>8 10<sub>2</sub>", "log2 8 10_2"},
		"what is raised and joins its word": {
			"1<sup>st</sup> H<sub>2</sub>O Frontdesk<sup>®</sup> a <sup>1</sup> <sup>1</sup>b",
			"1st H2O Frontdesk® a 1 1b",
		},
		"a foot comes last, and a head first": {
			"<table><tfoot><tr><td>Total<td>5<tbody><tr><td>Tent<td>5<thead><tr><th>Item<th>Price</table>",
			"Item | Price\nTent | 5\nTotal | 5",
		},
		"a second foot stays where it is": {
			"<table><caption>Sale</caption><tfoot><tr><td>a<tfoot><tr><td>b<tbody><tr><td>c</table>",
			"Sale\nb\nc\na",
		},
		"a row ends a line, its cells are told apart": {
			"<table><tr><td>Cannon<td>2<td>$100<tr><td>Rope<td>1<td>$5</table>", "Cannon | 2 | $100\nRope | 1 | $5",
		},
		"a layout has no signs between": {"<table><tr><td>a<tr><td><table><tr><td>b</table></table>", "a\n\nb"},
		"columns of a page stand apart": {"<table><tr><td>a<br>b<td>c</table>", "a\nb\nc"},
		"a label needs no sign": {
			"<table><tr><td>Total:<td>5<tr><td>1.<td>go<tr><td>•<td>x<tr><td>a<td>vs.<td>b</table>",
			"Total: 5\n1. go\n• x\na | vs. | b",
		},
		"an empty cell keeps its column": {
			"<table><tr><th>Item<th>Qty<th>Price<tr><td>Fee<td>&nbsp;<td>5.00<tr><td><td><td>1.00<tr><td>Note<td><td>" +
				"<tr><td><td><td></table>",
			"Item | Qty | Price\nFee | | 5.00\n| | 1.00\nNote",
		},
		"a corner without a word": {
			"<table><tr><td><th>May<th>June<tr><th>Fee<td>1<td>2<tr><th>Tax:<td><td>3</table>",
			"| May | June\nFee | 1 | 2\nTax: | | 3",
		},
		"cells over several columns": {
			"<table><tr><td>a<td>b<td>c<tr><td>d<td>e<td>f<tr><td colspan=2>Sum<td>5<tr><td colspan=2><td>6</table>",
			"a | b | c\nd | e | f\nSum | | 5\n| | 6",
		},
		"cells over several rows": {
			"<table><tr><th>Day<th>From<th>To<tr><td rowspan=2>Mon<td>9<td>10<tr><td>11<td>12<tr><td>Tue<td>8" +
				"<td rowspan=2>9<tr><td>Wed<td>7<tr><td rowspan=9>Thu<td>1<td>2<tbody><tr><td>Fri<td>3<td>4</table>",
			"Day | From | To\nMon | 9 | 10\n| 11 | 12\nTue | 8 | 9\nWed | 7\nThu | 1 | 2\nFri | 3 | 4",
		},
		"a cell over all rows that follow": {
			"<table><tr><td rowspan=0>a<td>b<td>c<tr><td>d<td>e<tr><td>f<td>g<tbody><tr><td>h<td>i<td>j</table>",
			"a | b | c\n| d | e\n| f | g\nh | i | j",
		},
		"a cell over several rows and columns": {
			"<table><tr><td>a<td>b<td>c<td>d<tr><td>e<td colspan=2 rowspan=2>f<td>g<tr><td>h<td>i</table>",
			"a | b | c | d\ne | f | | g\nh | | | i",
		},
		"headings over several columns": {
			"<table><tr><th rowspan=2>Item<th colspan=2>May<th colspan=2>June<tr><th>Qty<th>Sum<th>Qty<th>Sum" +
				"<tr><td>Fee<td>1<td>2<td><td>4</table>",
			"Item | May | | June\n| Qty | Sum | Qty | Sum\nFee | 1 | 2 | | 4",
		},
		"cells over more columns and rows than there are": {
			"<table><tr><td>a<td>b<td>c<tr><td>d<td colspan=2147483647>e<td>f<tr><td rowspan=65534>g<td>h<td>i" +
				"<tr><td>j<tr><td colspan=99 rowspan=99>k<td>l</table>",
			"a | b | c\nd | e | | f\ng | h | i\n| j\n| k | | l",
		},
		"a layout's cells over several columns and rows": {
			"<table><tr><td rowspan=2>a<td colspan=2>b<tr><td><td>c</table>", "a | b\nc",
		},
		"a table of which each row lacks a cell": {
			"<table><tr><th></th><th>Debit</th><th>Credit</th></tr><tr><td>Rent</td><td>500</td><td></td></tr>" +
				"<tr><td>Salary</td><td></td><td>900</td></tr></table>",
			"| Debit | Credit\nRent | 500\nSalary | | 900",
		},
		"debit and credit without headings": {
			"<table><tr><td>Rent<td>500<td><tr><td>Salary<td><td>900</table>", "Rent | 500\nSalary | | 900",
		},
		"a column without a heading": {
			"<table><tr><th>Plan<th>Free<th>Pro<th><tr><td>Seats<td><td>5<td>Buy</table>",
			"Plan | Free | Pro\nSeats | | 5 | Buy",
		},
		"spacers of a layout add nothing": {
			"<table><tr><td> <td>a<td> <td>b<td> <tr><td> <td>c<td> <td>d<td> <tr><td><td>e<td><td><td></table>",
			"a | b\nc | d\ne",
		},
		"one row is no data": {"<table><tr><td>a<td><td>b<tr><td colspan=3>c</table>", "a | b\nc"},
		"rows without a column in common are a layout": {
			"<table><tr><td>Logo<td><td>Help<tr><td><td>News<td></table>", "Logo | Help\nNews",
		},
		"a cell of two lines keeps its row": {
			"<table><tr><td>a<td>b<td>c<tr><td>Tent<br>green<td>2<td><p>5.00<p>EUR</table>",
			"a | b | c\nTent green | 2 | 5.00 EUR",
		},
		"a cell of three lines is a column of a page": {
			"<table><tr><td>a<td>b<td>c<tr><td>d<br>e<br>f<td>g<td>h</table>", "a | b | c\nd\ne\nf\ng\nh",
		},
		"a cell of a list keeps its row": {
			"<table><tr><td>a<td>b<td>c<tr><td>Fee<ul><li>x<li>y</ul><td><td>5.00<tr><td><ol><li>x<ul><li>y</ul></ol>" +
				"<td>2<td>6.00<tr><td>Tent<br>green<ul><li>x</ul>y<td>3<td>7.00</table>",
			"a | b | c\nFee * x * y | | 5.00\n\n1. x * y | 2 | 6.00\nTent\ngreen\n\n* x\n\ny\n3\n7.00",
		},
		"lists of a layout stand apart":    {"<table><tr><td><ul><li>a<li>b</ul><td>c</table>", "* a\n* b\n\nc"},
		"a definition ends a line":         {"<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a\nb\nc\nd"},
		"an item ends a line":              {"x<ul><li>a<li><p>b</p><li></ul>", "x\n\n* a\n\n* b"},
		"numbered items":                   {"<ol start=3><li>a<li>b</ol>", "3. a\n4. b"},
		"an item with a number of its own": {"<ol><li>a<li value=7>b<li value=x>c</ol>", "1. a\n7. b\n8. c"},
		"items that count down from 0":     {"<ol start=-1><li>a<li>b<li>c</ol>", "-1. a\n0. b\n1. c"},
		"items of letters": {
			"<ol type=a start=26><li>x<li>y</ol><ol type=A><li>z</ol>", "z. x\naa. y\n\nA. z",
		},
		"items of Roman numerals": {
			"<ol type=I start=1994><li>a</ol><ol type=i><li value=4>b<li value=0>c<li value=4000>d</ol>",
			"MCMXCIV. a\n\niv. b\n0. c\n4000. d",
		},
		"items that are counted down": {
			"<style>.a{display:none}</style><ol reversed><li>a<li class=a>b<li>c<li value=9>d<li>e</ol>" +
				"<ol reversed start=1 type=a><li>f<li>g</ol>",
			"4. a\n3. c\n9. d\n8. e\n\na. f\n0. g",
		},
		"items that are counted down inside each other": {
			"<ol reversed><li>a<ol reversed><li>b<li>c</ol><li>d</ol>", "2. a\n  2. b\n  1. c\n1. d",
		},
		"a list in a list": {"<ul><li>a<ul><li>b</ul><li>c</ul>", "* a\n  * b\n* c"},
		"h4 stands alone":  {"a<h4>b</h4>c", "a\n\nb\n\nc"},
		"a heading's link stands below": {
			"<h3><a href=http://e.org>abc</a></h3>d",
			"abc\n---\n\n( http://e.org )\n\nd",
		},
		"a long heading's link stands below": {
			"<h2><a href=http://e.org>" + strings.Repeat("ab ", 30) + "</a></h2>c",
			strings.Repeat("ab ", 29) + "ab\n( http://e.org )\n\nc",
		},
		"a list in a heading is not indented": {
			"<h3>abc<ul><li>d<ul><li>e</ul></ul></h3>f", "abc\n\n* d\n* e\n---\n\nf",
		},
		"a heading longer than a line": {
			"<h1>" + strings.Repeat("ab ", 30) + "</h1>",
			strings.TrimSpace(strings.Repeat("ab ", 30)),
		},
		"a block unknown to html2text": {"a<section>b</section><address>c</address>d", "a\nb\nc\nd"},
		"an inline element in a word": {
			"<b>un</b>like<i>ly</i>, <a href=http://e.org>a</a>.",
			"unlikely, a ( http://e.org ).",
		},
		"no space before punctuation": {"<b>a</b>, (<b>b</b>)", "*a*, (*b*)"},
		"no mark without a word":      {"a<b></b><strong> </strong><b><p>b</p><p>c</p></b>", "a\n\nb\n\nc"},
		"bold after bold":             {"<b>a</b><b>b</b> <b>c</b>", "*ab* *c*"},
		"a linked image is its text": {
			"<a href=http://e.org><img alt='Buy now'><br></a>",
			"Buy now ( http://e.org )",
		},
		"struck-out text stands between tildes": {
			"<p><s>€1519</s>€1199, was<del> 2</del>.</p>(<strike>3</strike>)<s><p>4</p><p>5<br>6</p></s>",
			"~€1519~ €1199, was ~2~.\n\n(~3~)\n\n~4~\n\n~5~\n~6~",
		},
		"struck out by style": {
			"<style>.old{text-decoration:line-through}</style><i class=old>7 €</i>5 €" +
				"<s style='text-decoration: none'>4</s>",
			"~7 €~ 5 €4",
		},
		"struck out twice":              {"<s>a<del>b</del><strike>c</strike></s>d", "~abc~ d"},
		"struck out, and shown to none": {"<s><i style=display:none>a</i> </s>b<del></del>", "b"},
		"struck out in bold, and bold struck out": {
			"<b>a <s>b</s></b><p><s><b>c</b> d</s></p><s><b>e</b></s>", "*a ~b~*\n\n~*c* d~\n\n~*e*~",
		},
		"struck-out cells": {"<table><tr><td><s>a</s><td><del>b</del>c</table>", "~a~ | ~b~ c"},
		"a struck-out link": {
			"<s><a href=https://e.org>e.org</a></s><a href=/x><s>a</s></a>",
			"~e.org~ ~a~ ( /x )",
		},
		"an image is its text":     {"a<img alt=b>c", "a b c"},
		"a tracking pixel is none": {"a<img alt=b width=1 height=1>", "a"},
		"an area of a map":         {"<map><area href=http://e.org alt=a></map>", "a ( http://e.org )"},
		"links that lead nowhere": {
			"<a href='#x'>a</a> <a href=' JavaScript:b()'>b</a> <a>c</a> <a href=http://>d</a> <a href=Tel:>e</a>",
			"a b c d e",
		},
		// A scheme, a final slash, the case of letters and the spaces of a number make no difference.
		"a link that says where it leads": {
			"<a href=https://e.org/>e.org</a> <a href='mailto:A@b.c?x'>a@b.c</a> <a href=tel:+12>+1 2</a>",
			"e.org a@b.c +1 2",
		},
		"an address in other words is not said twice": {
			"<a href=mailto:a@b.example>&lt;a@b.example&gt;</a> <a href=mailto:a@b.example>[mailto:A@b.example]</a> " +
				"<a href=mailto:a@b.example>Ada &lt;a@b.example&gt;</a> " +
				"<a href='mailto:a@b.example'>Mail: a@b.example.</a> " +
				"<a href='mailto:a@b.example, c@d.example'>a@b.example; c@d.example</a>",
			"<a@b.example> [mailto:A@b.example] Ada <a@b.example> Mail: a@b.example. a@b.example; c@d.example",
		},
		"another address is said": {
			"<a href=mailto:a@b.example>xa@b.example</a> <a href=mailto:a@b.example>a@b.example.org</a> " +
				"<a href=mailto:a@b.example,c@d.example>a@b.example</a>",
			"xa@b.example ( a@b.example ) a@b.example.org ( a@b.example ) a@b.example ( a@b.example,c@d.example )",
		},
		"a link to share has its words alone": {
			"<a href='mailto:?subject=Look&amp;body=x'>Tell a friend</a> <a href='MailTo: ?subject=x'>b</a>",
			"Tell a friend b",
		},
		"a link to an address has the address alone": {
			"<a href='mailto:a@b.example?subject=Hi'>Write</a> <a href='MAILTO:a@b.example?x'>A@b.example</a>",
			"Write ( a@b.example ) A@b.example",
		},
		"an address is unescaped": {
			"<a href='mailto:a%40b.example?subject=x'>Write</a> <a href='mailto:a%40b.example'>a@b.example</a> " +
				"<a href='mailto:%20a@b.example,c%2bd@b.example%20?x'>b</a> " +
				"<a href='mailto:%22x%25y%22@b.example'>c</a>",
			"Write ( a@b.example ) a@b.example b ( a@b.example,c+d@b.example ) c ( \"x%y\"@b.example )",
		},
		// In order: a line feed, a right-to-left override, a malformed escape, no address, bytes that are not UTF-8,
		// text that looks like the end of this link and the start of another, and a display name.
		"what is no address unescaped stays escaped": {
			"<a href='mailto:a%0A%40b.example'>a</a> <a href='mailto:a%E2%80%AE%40b.example'>b</a> " +
				"<a href='mailto:a%zz@b.example'>c</a> <a href='mailto:a%20b'>d</a> " +
				"<a href='mailto:a%ff%40b.example'>e</a> " +
				"<a href='mailto:a%20%29%20%28%20https://e.org%40b.example'>f</a> " +
				"<a href='mailto:A%20%3Ca%40b.example%3E'>g</a>",
			"a ( a%0A%40b.example ) b ( a%E2%80%AE%40b.example ) c ( a%zz@b.example ) d ( a%20b ) " +
				"e ( a%ff%40b.example ) f ( a%20%29%20%28%20https://e.org%40b.example ) " +
				"g ( A%20%3Ca%40b.example%3E )",
		},
		"a base leads links on": {
			"<base target=x><base href=https://e.org/n/1><base href=https://no.example/><a href=2?q=a%20b>a</a> " +
				"<a href=/c>c</a> <a href=https://x.example/é>d</a> <a href=#x>e</a> <a href=mailto:a@b.c>f</a>",
			"a ( https://e.org/n/2?q=a%20b ) c ( https://e.org/c ) d ( https://x.example/é ) e f ( a@b.c )",
		},
		"white space in a link is escaped": {
			"<a href=' https://e.org/a b?c=d e '>a</a> <a href='tel:+49 30 12'>Call</a> " +
				"<a href='https://e.org/a\u00a0b'>c</a> <a href='/x y'>d</a>",
			"a ( https://e.org/a%20b?c=d%20e ) Call ( tel:+49%2030%2012 ) c ( https://e.org/a%C2%A0b ) d ( /x%20y )",
		},
		"line breaks and tabs in a link are dropped": {
			"<a href='https://e.org/a\r\n\t b'>a</a> <a href='https://e.org/?a=1\n&amp;b=2'>b</a>",
			"a ( https://e.org/a%20b ) b ( https://e.org/?a=1&b=2 )",
		},
		"a number with spaces is not said twice": {"<a href='tel:+49 30 12'>+49 (30) 12</a>", "+49 (30) 12"},
		"a link without a scheme": {
			"<a href='//e.org/x'>a</a> <a href=//e.org/>e.org</a> <a href=//>b</a>", "a ( https://e.org/x ) e.org b",
		},
		"a link without a scheme has its base's": {
			"<base href=http://e.org/x/><a href=//f.org/y>a</a>", "a ( http://f.org/y )",
		},
		"a base that is no web address": {"<base href=x-msg://3/><a href=/c>c</a>", "c ( /c )"},
		"an icon beside its label":      {"<a href=/x><img></a> <a href=/x>a</a>", "a ( /x )"},
		"scripts and frames": {
			"a<script>b</script><iframe><p>b</iframe><noscript><p>b</noscript><template>b</template>",
			"a",
		},
		"display: none": {
			"a<p style='color:red;DISPLAY : none !important'>b<i style=display:block>c</i></p>",
			"a",
		},
		"visibility, shown again inside": {
			"<p style=visibility:hidden>a<i style=visibility:visible>b</i>c",
			"b",
		},
		"a font of 0, raised inside": {
			"<p style=font-size:0>a<i style='font:700 12px/1 x'>b</i><img alt=c>",
			"b c",
		},
		"what Outlook alone hides is shown": {
			"<p>Sale</p><span style='mso-hide:all'><a href=https://x.example/>Buy</a></span>",
			"Sale\n\nBuy ( https://x.example/ )",
		},
		"what Outlook and others hide is hidden": {"a<p style='mso-hide:all;display:none'>b</p>", "a"},
		"a class that hides": {
			"<style>@media x{.b{display:none}} /*{*/ p.a, .c{display:none}</style><p class=a>a<i class=a>b" +
				"</i><p class=b>c<p class='x c'>d",
			"c",
		},
		"an id, an element and a descendant that hide": {
			"<style>#a, BIG, .b i.c em, td>u {display:none} .b > em {display:none}</style><p id=a>1<p><big>2</big>3" +
				"<p class=b><em>4</em><b><em>5</em></b><i class='x c'><b><em>6</em></b></i><table><tr><td><u>7</u>" +
				"<b><u>8</u></b></table>",
			"3\n\n*5*\n\n*8*",
		},
		"a descendant within itself": {"<style>b b{display:none}</style><b>1<b>2</b></b> <b>3</b>", "*1* *3*"},
		"an element, a descendant and an id that are blocks": {
			"<style>u,div i,#a{display:block}</style>1<u>2</u>3<div><i>4</i>5</div><i>6</i><i id=a>7</i>",
			"1\n2\n3\n4\n5\n6\n7",
		},
		"the more specific rule wins": {
			"<style>#a{display:block}.x{display:none}p.x{display:block}p{display:none}.y{display:none}" +
				".y{display:block}</style><i id=a class=x>1</i><p class=x>2<p>3<p class=y>4",
			"1\n\n2\n\n4",
		},
		"what is important wins over style": {
			"<style>.a{display:none!important}.b{display:block !important}.c{display:none!important}</style>" +
				"<p class=a style=display:block>1<p class=b style=display:none>2" +
				"<p class=c style='display:block!important'>3<p style='display:block!important;display:none'>4",
			"2\n\n3\n\n4",
		},
		// Class b is only in media that not every screen matches, so only 2 is left.
		"rules for screens, and of other media": {
			"<style>@media screen{.a{display:none}}@media only screen and (max-width:9px){.b{display:none}}" +
				"@media print,all{.c{display:none}}@media print{.b{display:none}}.d{display:none}</style>" +
				"<style media=print>.b{display:none}</style><style media='screen'>.e{display:none}</style>" +
				"<p class=a>1<p class=b>2<p class=c>3<p class=d>4<p class=e>5",
			"2",
		},
		// Here too only class b stays visible: its widths are not those of every screen.
		"rules for screens of every width": {
			"<style>@media screen{@media (min-width:0px){.a{display:none}}@media (min-width:481px){.b{display:none}}" +
				"@media screen{.c{display:none}}.d{display:none}}@media only screen and (min-device-width: 320px)" +
				"{.e{display:none}}@media (min-width:0) and (max-width:480px){.b{display:none}}" +
				"@media print and (min-width:0){.b{display:none}}@media (min-width:20em){.b{display:none}}" +
				"@media print{@media screen{.b{display:none}}}.f{display:none}</style>" +
				"<p class=a>1<p class=b>2<p class=c>3<p class=d>4<p class=e>5<p class=f>6",
			"2",
		},
		"a sheet behind what it styles": {"<p class=a>1</p>2<style>.a{display:none}</style>", "2"},
		"cropped to nothing": {
			"<div style='height:0;overflow:hidden'>1</div><div style='max-height:0px;overflow:hidden'>2</div>" +
				"<div style='height:0'>3</div><div style='height:0;line-height:0;font-size:0'>4</div>",
			"3",
		},
		// 5 and 6 clip only at the side, and the later declaration of 7 shows it again. Of 8 the x axis still hides,
		// which makes the y axis scroll.
		"cropped in either direction": {
			"<div style='height:0;overflow-y:hidden'>1</div><div style='height:0;overflow-x:auto'>2</div>" +
				"<div style='max-height:0;overflow:visible scroll'>3</div><div style='height:0;overflow:clip'>4</div>" +
				"<div style='height:0;overflow-x:clip'>5</div><div style='height:0;overflow:clip visible'>6</div>" +
				"<div style='height:0;overflow:hidden;overflow:visible'>7</div>" +
				"<div style='height:0;overflow:hidden;overflow-y:visible'>8</div>",
			"5\n6\n7",
		},
		"an inline element and a cell are not cropped": {
			"<span style='height:0;overflow:hidden'>1</span><table><tr><td style='height:0;overflow:hidden'>2</table>",
			"1\n\n2",
		},
		"children of a flex row": {
			"<div style=display:flex><span>Total</span><b>5</b>EUR<a href=/x>x</a></div><i style=display:inline-flex>" +
				"<i>1</i><i>2<u>3</u></i></i>",
			"Total *5* EUR x ( /x )\n1 23",
		},
		"children of a flex column": {
			"<div style='display:flex;flex-direction:column'><span>a</span><span>b</span></div>", "a\nb",
		},
		"floats": {
			"<p><i style=float:left>Total</i><i style='float:right'>5</i>, x<i style=float:none>y</i>",
			"Total 5, xy",
		},
		// Newsletters write padding after their preview text.
		"padding goes": {"a&nbsp;&zwnj;&nbsp;&#8199;&#65279;&shy;&#847; <p>&nbsp;&zwnj;", "a"},
		// Persian needs its non-joiner, and an emoji of two its joiner.
		"joiners stay in words":        {"می&zwnj;خواهم 👩&zwj;🚀", "می\u200cخواهم 👩\u200d🚀"},
		"at most one empty line":       {"a<br><br><br><p><br></p>b", "a\n\nb"},
		"an empty paragraph is a line": {"<div>a</div><div>&nbsp;</div><div>b</div>", "a\n\nb"},
		// Word writes .0001pt for no margin.
		"paragraphs without margins": {
			"<p style=margin:0>a</p><p style='margin: 0 0 .0001pt'>b</p>",
			"a\nb",
		},
		"preformatted text":           {"<pre>a\n  b\n\n\nc</pre>", "a\n  b\n\nc"},
		"line feeds that style keeps": {"<p style=white-space:pre-line>a  x\n b</p>c\nd", "a x\nb\n\nc d"},
		"spaces that style keeps": {
			"<p style=white-space:pre-wrap>a  b\n  c</p><i style=white-space:pre>d   e</i> <i style='white-space:" +
				"break-spaces'>f  g</i><pre style=white-space:normal>h\n  i</pre><div style=white-space:pre>j  k<i " +
				"style='white-space: nowrap'>  l  m</i></div>",
			"a  b\n  c\n\nd   e f  g\n\nh i\n\nj  k l m",
		},
		// In quirks mode a table does not inherit the size of the font, nor white space (HTML 15.3.10).
		"a font of 0 around a table in quirks mode": {
			"<div style=font-size:0;white-space:pre>a<table><tr><td>b\nc</table></div>" +
				"<table style=font-size:0><tr><td>d</table>",
			"b c",
		},
		"a font of 0 around a table in the quirks of an old type": {
			`<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><div style=font-size:0>` +
				`<table><tr><td>b</table>`,
			"b",
		},
		"a font of 0 around a table in standards mode": {
			"<!DOCTYPE html><div style=font-size:0>a<table><tr><td>b<td style=font-size:9px>c</table></div>", "c",
		},
		"a font of 0 around a table in XHTML": {
			`<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" ` +
				`"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd"><div style=font-size:0>` +
				`<table><tr><td>b</table></div>c`,
			"c",
		},
		"a quotation": {
			"a<blockquote><p>b</p><p>c</p></blockquote>d",
			"a\n\n> b\n> \n> c\n\nd",
		},
		"a long run without spaces in a quotation": {
			"<blockquote>x " + strings.Repeat("漢", 100) + "<br>y</blockquote>z<blockquote>" +
				strings.Repeat("ไทย", 40) + "</blockquote>",
			"> x\n> " + strings.Repeat("漢", 100) + "\n> y\n\nz\n\n> " + strings.Repeat("ไทย", 40),
		},
		"a long line of a quotation": {
			"<blockquote>" + strings.Repeat("abcde ", 20) + "</blockquote>",
			"> " + strings.Repeat("abcde ", 11) + "abcde\n> " + strings.Repeat("abcde ", 7) + "abcde",
		},
		"a quotation in a quotation": {
			"<blockquote>a<blockquote>b</blockquote></blockquote>c<blockquote><blockquote>d</blockquote>e" +
				"</blockquote><blockquote>f</blockquote><h2>abc</h2>",
			"> a\n> \n>> b\n\nc\n\n>> d\n> \n> e\n\n> f\n\n---\nabc\n---",
		},
		"a comment, conditional or not":     {"a<!--[if mso]><p>b</p><![endif]--><![if !mso]>c<![endif]>", "ac"},
		"emphasis in one cell":              {"<table><tr><td><b>a</b><td><b>b</b></table>", "*a* | *b*"},
		"a heading of one letter":           {"<h1>1</h1>a", "1\n\na"},
		"an unlinked row of links":          {"<a href=/x>a</a><a href=/y>b</a>", "a ( /x ) b ( /y )"},
		"a menu without spaces":             {"<a href=#>a</a><a><b>b</b></a><a href=#>c</a>d", "a *b* cd"},
		"a link around blocks":              {"<a href=/x><p>a</p><p>b</p></a><p>c</p>", "a\n\nb ( /x )\n\nc"},
		"a button is apart from its label":  {"Go<button>Send</button>", "Go Send"},
		"a sign between two links of a row": {"<table><tr><td>a<td>|<td>b</table>", "a | b"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := FromHTML(c.in); err != nil || got != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// TestOverTheBounds: HTML that exceeds a bound gives an error and the text of its tokens, unless that text is itself
// too long.
func TestOverTheBounds(t *testing.T) {
	t.Parallel()
	const page = "<title>x</title><p>a<script>b</script><style>c</style></p>" +
		"<div><s>5</s>d &amp; <a href=/e>e</a><br><img alt=f></div>"
	const want = "a\n\n~5~ d & e ( /e )\nf"
	for name, c := range map[string]struct{ in, want string }{
		"600 levels":        {strings.Repeat("<div>", 600) + page, want},
		"over a megabyte":   {page + strings.Repeat("<i></i>", 1<<18), want},
		"too dear to parse": {hostileBodies(1<<20) + page, want},
		"over 4 MB of text": {strings.Repeat("a ", 3<<20), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := FromHTML(c.in); err == nil || got != c.want {
				t.Errorf("%.99q, %v; want %q and an error", got, err, c.want)
			}
		})
	}
}

// TestDataURIsDoNotCount: embedded images larger than the bound leave the rest of a page convertible, and the word
// "data:" in its text stays.
func TestDataURIsDoNotCount(t *testing.T) {
	t.Parallel()
	data := "data:image/png;base64," + strings.Repeat("AAAA", 1<<18)
	in := "<style>p{background:url(" + data + ")}</style><p>a<img alt=b src='" + data +
		"'>data: <img src=" + data + ">c"
	got, err := FromHTML(in)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, got, "a b data: c", "FromHTML(in)")
}

// BenchmarkFromHTML converts the mails of the corpus with the shaper, and with html2text alone for comparison.
func BenchmarkFromHTML(b *testing.B) {
	mails := corpus(b)
	b.Run("shaped", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, source := range mails {
				convert(source, newEffort(convertedWithin))
			}
		}
	})
	b.Run("unshaped", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, source := range mails {
				doc, err := parse(source, time.Now().Add(time.Hour))
				if err != nil {
					b.Fatal(err)
				}
				html2text.FromHTMLNode(doc)
			}
		}
	})
}
