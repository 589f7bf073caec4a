package plaintext

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// faults are what makes a plain text hard to read, by name. Each function returns an example of its fault, or "". It
// uses only the HTML's own tree and the text: the judge shares no code with the shaper, so that both cannot have the
// same mistake.
var faults = map[string]func(p page, text string) string{
	"rows on one line":          rowsOnOneLine,
	"items on one line":         itemsOnOneLine,
	"cells not told apart":      cellsNotToldApart,
	"alt text lost":             altTextLost,
	"lone mark":                 loneMark,
	"link to nowhere":           matching(nowhere),
	"link said twice":           linkSaidTwice,
	"source of what is unseen":  sourceShown,
	"hidden text":               hiddenShown,
	"heading glued to text":     headingGlued,
	"padding":                   matching(padded),
	"more than two line feeds":  matching(regexp.MustCompile("\n\n\n")),
	"words glued or split":      wordsMade,
	"space before punctuation":  spaceBeforePunctuation,
	"tag":                       tagLeft,
	"words lost":                wordsLost,
	"a line longer than a page": matching(longRule),
	"struck-out text unmarked":  struckUnmarked,
	"amount in another column":  amountInAnotherColumn,
	"row of data on many lines": rowOfDataOnManyLines,
	"link to share":             matching(shared),
	"escaped address":           matching(escaped),
	"link without its base":     linkWithoutBase,
	"number of another item":    numberOfAnother,
	"glued to a link":           matching(gluedToLink),
	"empty line of a quotation": emptyLineOfQuotation,
	"number of two":             numberOfTwo,
	"foot above its rows":       footAboveRows,
	"spaces lost":               spacesLost,
}

// The faults that a text shows by itself, and what the judge looks for in the HTML.
var (
	nowhere = regexp.MustCompile(`(?i)\( +(#[^)]*|javascript:[^)]*)?\)`)
	padded  = regexp.MustCompile("[\u034f\u200b\u00ad\u2007\ufeff\u2060]|" +
		"[\u00a0\u200c\u200d ][\u00a0\u200c\u200d]|[\u00a0\u200c\u200d] ")
	longRule    = regexp.MustCompile(`[-*]{81,}`)
	linkAtEnd   = regexp.MustCompile(`\( [^()\n]* \)`)
	said        = regexp.MustCompile(`(\S+) \( (?:https?://|tel:)?(\S+?)/? \)`)
	tag         = regexp.MustCompile(`(?i)</?(p|div|span|table|td|tr|a|img|br|b|strong|style|script|iframe)\b[^>\n]*>`)
	punctuation = regexp.MustCompile(`[\pL\pN] [,;:!?.](\s|$)`)
	hiding      = regexp.MustCompile(`(?i)(^|[;\s])display\s*:\s*none`)
	visibility  = regexp.MustCompile(`(?i)(?:^|[;\s])visibility\s*:\s*(hidden|visible)`)
	fontSize    = regexp.MustCompile(`(?i)(?:^|[;\s])font-size\s*:\s*([\d.]+)(px)?`)

	shared         = regexp.MustCompile(`(?i)\( (mailto:[^)]*|[^)/]*\?subject=[^)]*)\)`)
	escaped        = regexp.MustCompile(`(?i)\( [^\s/:@]+%40[^\s/]+ \)`)
	gluedToLink    = regexp.MustCompile(`[^\s(~]\( \S+ \)`)
	emptyQuotation = regexp.MustCompile(`(?m)^>+ ?\n(>+ ?\n)+|^>\s*\z|^>+ ?\n\n`)
	quotedRun      = regexp.MustCompile(`>+ (\S{75,})\n>+ ?\n`)
	lettering      = regexp.MustCompile(`(?m)^[ >]*[a-zA-Z]+\. `)

	unshown = map[atom.Atom]bool{
		atom.Head: true, atom.Style: true, atom.Script: true, atom.Iframe: true, atom.Noscript: true,
		atom.Noembed: true, atom.Noframes: true, atom.Template: true, atom.Title: true,
	}
	inline = map[atom.Atom]bool{
		atom.Span: true, atom.B: true, atom.Strong: true, atom.I: true, atom.Em: true, atom.U: true, atom.Font: true,
		atom.Small: true, atom.Big: true, atom.Sup: true, atom.Sub: true, atom.S: true, atom.Code: true, atom.Wbr: true,
	}
)

// page is what a reader of the HTML sees.
type page struct {
	doc     *html.Node
	visible string // with a line feed at each border of an element that is not inline
	words   map[string]bool
	flowing string // visible, but with inline links
	hrefs   string // the targets of all links, one after the other
	images  string // the alternative texts of all images, also of hidden ones
	rules   []judgedRule
	inlineA bool     // links are inline
	quirks  bool     // the document has no type, so its tables inherit no size of the font
	alts    []string // of images in links
	hidden  []string // texts that style hides
	unseen  []string // the source of scripts and the like
}

// readPage parses a page and collects what the faults look at.
func readPage(source string) page {
	doc, err := html.Parse(strings.NewReader(source))
	if err != nil {
		panic(err)
	}
	p := page{doc: doc, words: map[string]bool{}, quirks: doc.FirstChild.Type != html.DoctypeNode}
	each(doc, func(n *html.Node) {
		if n.DataAtom == atom.Style && n.FirstChild != nil {
			if media := get(n, "media"); media == "" || media == "screen" || media == "all" {
				p.rules = append(p.rules, judgedRules(n.FirstChild.Data)...)
			}
		}
	})
	var seen, flowing strings.Builder
	(&page{rules: p.rules, inlineA: true, quirks: p.quirks}).walk(doc, &flowing, false, false, false)
	p.walk(doc, &seen, false, false, false)
	p.visible, p.flowing = seen.String(), flowing.String()
	for _, word := range words(p.visible) {
		p.words[word] = true
	}
	return p
}

// walk writes the visible text of a node to the builder, and notes the rest in the page. hidden, tiny and link are
// inherited from the elements around.
func (p *page) walk(n *html.Node, to *strings.Builder, hidden, tiny, link bool) {
	if n.Type == html.TextNode {
		if hidden || tiny {
			p.hidden = append(p.hidden, n.Data)
		} else {
			to.WriteString(n.Data)
		}
		return
	}
	if n.Type == html.ElementNode {
		if n.DataAtom == atom.Table && p.quirks {
			tiny = false
		}
		if unshown[n.DataAtom] {
			if n.FirstChild != nil && n.DataAtom != atom.Head && n.DataAtom != atom.Title {
				p.unseen = append(p.unseen, n.FirstChild.Data)
			}
			return
		}
		css := get(n, "style")
		if p.hides(n) {
			p.hidden = append(p.hidden, textOf(n))
			return
		}
		if m := visibility.FindStringSubmatch(css); m != nil {
			hidden = strings.EqualFold(m[1], "hidden")
		}
		if m := fontSize.FindStringSubmatch(css); m != nil {
			tiny = m[1] == "0" || m[1] == "1" && m[2] != ""
		}
		link = link || n.DataAtom == atom.A
		p.hrefs += get(n, "href")
		p.images += get(n, "alt")
		if (n.DataAtom == atom.Img || n.DataAtom == atom.Area) && !hidden && get(n, "width") != "1" {
			to.WriteString("\n" + get(n, "alt") + "\n")
			if link && len(words(get(n, "alt"))) > 0 {
				p.alts = append(p.alts, get(n, "alt"))
			}
		}
	}
	border := !p.inLine(n)
	if border {
		to.WriteByte('\n')
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.walk(c, to, hidden, tiny, link)
	}
	if border {
		to.WriteByte('\n')
	}
}

// textOf returns all text of a node, hidden or not.
func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var all strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		all.WriteString(textOf(c))
	}
	return all.String()
}

func get(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// seenIn returns the visible text of a part of the page, judged without style sheets.
func seenIn(n *html.Node) string {
	var seen strings.Builder
	(&page{}).walk(n, &seen, false, false, false)
	return plain(seen.String())
}

// ignored removes padding and the marks of the plain text, so that words can be compared.
var ignored = strings.NewReplacer("\u034f", "", "\u200b", "", "\u200c", "", "\u200d", "", "\u00ad", "", "\ufeff", "",
	"\u2060", "", "\u200e", "", "\u200f", "", "\u115f", "", "\u1160", "", "\u3164", "", "\uffa0", "", "\u17b4", "",
	"\u17b5", "", "*", "", "|", " ")

// plain returns text without marks, targets of links at the end, and padding, with single spaces between words.
func plain(s string) string {
	return strings.Join(strings.Fields(linkAtEnd.ReplaceAllString(ignored.Replace(s), " ")), " ")
}

// words returns the words of letters in a text.
func words(s string) []string {
	return strings.FieldsFunc(ignored.Replace(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r)
	})
}

// matching returns a fault that the text alone shows.
func matching(fault *regexp.Regexp) func(page, string) string {
	return func(_ page, text string) string { return fault.FindString(text) }
}

func lines(text string) []string { return strings.Split(text, "\n") }

// each visits the elements that no style attribute hides.
func each(n *html.Node, visit func(n *html.Node)) {
	if n.Type == html.ElementNode {
		if hiding.MatchString(get(n, "style")) {
			return
		}
		visit(n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		each(c, visit)
	}
}

// has reports whether a node has such a descendant.
func has(n *html.Node, a atom.Atom) (found bool) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		found = found || c.DataAtom == a || has(c, a)
	}
	return found
}

// next returns the following sibling that is an element, or nil.
func next(n *html.Node) *html.Node {
	for n = n.NextSibling; n != nil && n.Type != html.ElementNode; n = n.NextSibling {
	}
	return n
}

// adjoin returns the border between two parts of the page if a line of the text has them with only a space between.
// The border is the last three words of one and the first three of the other.
func adjoin(text, one, two string, clean func(string) string) string {
	a, b := strings.Fields(one), strings.Fields(two)
	if len(a) == 0 || len(b) == 0 {
		return ""
	}
	border := " " + strings.Join(a[max(0, len(a)-3):], " ") + " " + strings.Join(b[:min(3, len(b))], " ") + " "
	for _, line := range lines(text) {
		if strings.Contains(" "+clean(line)+" ", border) {
			return border
		}
	}
	return ""
}

// onOneLine finds two neighbours of the given kinds that the text has on one line.
func onOneLine(p page, text string, of ...atom.Atom) (found string) {
	each(p.doc, func(n *html.Node) {
		for _, a := range of {
			if follower := next(n); n.DataAtom == a && follower != nil && follower.DataAtom != 0 && !has(n, a) &&
				(follower.DataAtom == a || a == atom.Dt && follower.DataAtom == atom.Dd) {
				if border := adjoin(text, seenIn(n), seenIn(follower), plainItems); border != "" &&
					!strings.Contains(" "+plain(seenIn(n))+" ", border) {
					found = border
				}
			}
		}
	})
	return found
}

// plainItems returns plain text, but in a row of data it keeps the marks of items, which separate them there.
func plainItems(line string) string {
	if strings.Contains(line, " | ") {
		line = strings.ReplaceAll(line, " * ", " • ")
	}
	return plain(line)
}

func rowsOnOneLine(p page, text string) string { return onOneLine(p, text, atom.Tr) }

func itemsOnOneLine(p page, text string) string { return onOneLine(p, text, atom.Li, atom.Dt, atom.Dd) }

// cellsNotToldApart looks for cells without a sign between them, in rows of short cells that are next to another such
// row. A label such as "Total:" needs no sign.
func cellsNotToldApart(p page, text string) (found string) {
	data := func(row *html.Node) (cells []string) {
		for c := row.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
				continue
			}
			if cell := seenIn(c); has(c, atom.Table) || has(c, atom.Br) || has(c, atom.A) || len(cell) > 40 {
				return nil
			} else if cell != "" {
				cells = append(cells, cell)
			}
		}
		return cells
	}
	each(p.doc, func(n *html.Node) {
		follower := next(n)
		if n.DataAtom != atom.Tr || follower == nil || len(data(n)) < 2 || len(data(follower)) < 2 {
			return
		}
		for i, cells := 1, data(n); i < len(cells); i++ {
			if strings.HasSuffix(cells[i-1], ":") || len(words(cells[i-1])) == 0 {
				continue
			}
			if border := adjoin(text, cells[i-1], cells[i], func(s string) string {
				return strings.ReplaceAll(s, "*", "")
			}); border != "" {
				found = border
			}
		}
	})
	return found
}

// altTextLost finds the image of a link whose alternative text is missing.
func altTextLost(p page, text string) string {
	text = plain(text)
	for _, alt := range p.alts {
		if !strings.Contains(text, plain(alt)) {
			return alt
		}
	}
	return ""
}

// loneMark finds a line with nothing but a mark, unless the page itself has such a line.
func loneMark(p page, text string) string {
	for _, line := range lines(text) {
		if line = strings.TrimSpace(line); slices.Contains([]string{"*", "**", "* *", "|", "( )"}, line) {
			for _, own := range lines(p.visible) {
				if strings.TrimSpace(own) == line {
					return ""
				}
			}
			return line
		}
	}
	return ""
}

// linkSaidTwice finds a link whose text already is its target.
func linkSaidTwice(_ page, text string) string {
	for _, m := range said.FindAllStringSubmatch(text, -1) {
		label := strings.TrimPrefix(strings.Trim(m[1], "*(<>[]."), "mailto:")
		if strings.EqualFold(label, m[2]) {
			return m[0]
		}
	}
	return ""
}

// sourceShown finds the beginning of a script or a style sheet.
func sourceShown(p page, text string) string {
	text = plain(text)
	for _, source := range p.unseen {
		if source = plain(source); len(source) > 10 && strings.Contains(text, source[:min(len(source), 40)]) &&
			!strings.Contains(plain(p.visible), source) {
			return source
		}
	}
	return ""
}

// hiddenShown finds hidden text of at least two words. One word may occur elsewhere.
func hiddenShown(p page, text string) string {
	text = plain(text)
	for _, hidden := range p.hidden {
		if hidden = plain(hidden); len(words(hidden)) > 1 && strings.Contains(text, hidden) &&
			!strings.Contains(plain(p.visible), hidden) {
			return hidden
		}
	}
	return ""
}

// headingGlued finds a heading that never has a line of its own, but is part of another line.
func headingGlued(p page, text string) (found string) {
	each(p.doc, func(n *html.Node) {
		switch n.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		default:
			return
		}
		heading := seenIn(n)
		if len(words(heading)) == 0 || has(n, atom.Br) || has(n, atom.Div) || has(n, atom.P) || has(n, atom.Table) {
			return
		}
		glued := ""
		for _, line := range lines(text) {
			line = strings.TrimSpace(strings.TrimLeft(plain(line), "> "))
			if line == heading {
				return
			}
			if strings.Contains(line, heading) {
				glued = line
			}
		}
		if glued != "" {
			found = glued
		}
	})
	return found
}

// wordsMade finds a word that the page does not have: two were joined, or one was split.
func wordsMade(p page, text string) string {
	each(p.doc, func(n *html.Node) {
		if n.DataAtom == atom.Ol && len(words(get(n, "type"))) > 0 {
			text = lettering.ReplaceAllString(text, "")
		}
	})
	for _, field := range strings.Fields(linkAtEnd.ReplaceAllString(text, " ")) {
		if strings.Contains(field, "://") {
			continue
		}
		for _, word := range words(field) {
			if !p.words[word] && !strings.Contains(ignored.Replace(p.flowing), word) {
				return word
			}
		}
	}
	return ""
}

// wordsLost finds a visible word of the page that the text does not have.
func wordsLost(p page, text string) string {
	text = ignored.Replace(text)
	for word := range p.words {
		if !strings.Contains(text, word) {
			return word
		}
	}
	return ""
}

// spaceBeforePunctuation finds a space before punctuation where the page has none.
func spaceBeforePunctuation(p page, text string) string {
	own := strings.Join(strings.Fields(p.visible), " ")
	for _, found := range punctuation.FindAllString(text, -1) {
		if !strings.Contains(own, strings.TrimSpace(found)) {
			return found
		}
	}
	return ""
}

// tagLeft finds a tag that the page does not show as text.
func tagLeft(p page, text string) string {
	squeeze := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || unicode.Is(unicode.C, r) || unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, ignored.Replace(s))
	}
	own := squeeze(p.flowing + "\n" + p.visible)
	for _, found := range tag.FindAllString(text, -1) {
		if !strings.Contains(own, squeeze(found)) {
			return found
		}
	}
	return ""
}

// struckUnmarked finds struck-out text without a tilde before its first word.
func struckUnmarked(p page, text string) (found string) {
	text = plain(text)
	each(p.doc, func(n *html.Node) {
		switch n.DataAtom {
		case atom.S, atom.Del, atom.Strike:
			if first := strings.Fields(seenIn(n)); len(first) > 0 && !strings.Contains(text, "~"+first[0]) {
				found = first[0]
			}
		}
	})
	return found
}

// linkWithoutBase finds a relative target although the page has a base element.
func linkWithoutBase(p page, text string) (found string) {
	based := false
	each(p.doc, func(n *html.Node) {
		based = based || n.DataAtom == atom.Base && strings.HasPrefix(get(n, "href"), "http")
		if href := get(n, "href"); based && n.DataAtom == atom.A && strings.Contains(text, "( "+href+" )") &&
			!strings.Contains(href, ":") && !strings.Contains(href, "@") {
			found = href
		}
	})
	return found
}

// numberOfAnother finds an item without its number. It judges only items with a value, and the first item of a list
// with a start, a type or reversed.
func numberOfAnother(p page, text string) (found string) {
	each(p.doc, func(n *html.Node) {
		first := strings.Fields(seenIn(n))
		if n.DataAtom != atom.Li || n.Parent.DataAtom != atom.Ol || len(first) == 0 || has(n, atom.P) {
			return
		}
		sign := get(n, "value")
		before := n.PrevSibling
		if sign == "" && (before == nil || before.DataAtom == 0) && next(n.Parent.FirstChild) != n {
			start, kind := judgedStart(n.Parent), get(n.Parent, "type")
			lettered := len(words(kind)) > 0
			switch {
			case start != "" && lettered:
				return
			case lettered:
				sign = kind // the first sign is the type itself
			default:
				sign = start
			}
		}
		if sign != "" && !strings.Contains(plain(text), sign+". "+first[0]) {
			found = sign + ". " + first[0]
		}
	})
	return found
}

// judgedStart returns the number at which a list begins, or "" if its attributes do not say.
func judgedStart(list *html.Node) string {
	reversed := slices.ContainsFunc(list.Attr, func(a html.Attribute) bool { return a.Key == "reversed" })
	if start := get(list, "start"); start != "" || !reversed {
		return start
	}
	items := 0
	for item := list.FirstChild; item != nil; item = item.NextSibling {
		if item.DataAtom == atom.Li {
			items++
		}
	}
	return strconv.Itoa(items)
}

// emptyLineOfQuotation finds an empty line that no paragraph explains: at the end, doubled, or between lines that a
// br separates.
func emptyLineOfQuotation(p page, text string) string {
	found := emptyQuotation.FindString(text)
	if run := quotedRun.FindStringSubmatch(text); run != nil {
		each(p.doc, func(n *html.Node) {
			if n.FirstChild != nil && n.DataAtom == atom.Blockquote && !has(n, atom.P) && !has(n, atom.Div) &&
				strings.Contains(textOf(n), run[1]) {
				found = run[0]
			}
		})
	}
	return found
}

// dataTables returns the tables that certainly are data: at least two rows, all with the same three to six columns,
// and a row with headings or with text in each column. Their cells are short, and have neither tables nor links.
func dataTables(p page) (tables [][][]judgedCell) {
	each(p.doc, func(n *html.Node) {
		if n.DataAtom != atom.Table || has(n, atom.Table) || has(n, atom.Blockquote) || has(n, atom.A) {
			return
		}
		var rows [][]judgedCell
		data := has(n, atom.Th)
		for _, row := range laidOut(n) {
			texts := 0
			for _, c := range row {
				if len(c.text) > 30 {
					return
				}
				if c.text != "" {
					texts++
				}
			}
			if texts == 0 {
				continue
			}
			if len(rows) > 0 && len(row) != len(rows[0]) {
				return
			}
			data = data || texts == len(row)
			rows = append(rows, row)
		}
		if data && len(rows) > 1 && len(rows[0]) > 2 && len(rows[0]) < 7 {
			tables = append(tables, rows)
		}
	})
	return tables
}

// judgedCell is what a place of a table has. A place where no cell begins has no node.
type judgedCell struct {
	node *html.Node
	text string
}

// laidOut returns the rows of a table with its spans resolved, without empty columns.
func laidOut(table *html.Node) (rows [][]judgedCell) {
	for part := table.FirstChild; part != nil; part = part.NextSibling {
		first := len(rows)
		for row := part.FirstChild; row != nil; row = row.NextSibling {
			if row.DataAtom == atom.Tr {
				rows = append(rows, nil)
			}
		}
		taken, at := map[[2]int]bool{}, first-1
		for row := part.FirstChild; row != nil; row = row.NextSibling {
			if row.DataAtom != atom.Tr {
				continue
			}
			at++
			for c := row.FirstChild; c != nil; c = c.NextSibling {
				if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
					continue
				}
				from := 0
				for taken[[2]int{at, from}] {
					from++
				}
				wide, high := spanned(c, "colspan"), spanned(c, "rowspan")
				for r := at; r < min(at+high, len(rows)); r++ {
					for column := from; column < from+wide; column++ {
						taken[[2]int{r, column}] = true
						for len(rows[r]) <= column {
							rows[r] = append(rows[r], judgedCell{})
						}
					}
				}
				rows[at][from] = judgedCell{c, seenIn(c)}
			}
		}
	}
	return withoutEmptyColumns(rows)
}

// spanned returns the number of columns or rows that a cell spans, at most 100.
func spanned(cell *html.Node, over string) int {
	n, err := strconv.Atoi(get(cell, over))
	if err != nil {
		return 1
	}
	return min(n, 100)
}

func withoutEmptyColumns(rows [][]judgedCell) (kept [][]judgedCell) {
	used := map[int]bool{}
	for _, row := range rows {
		for column, c := range row {
			used[column] = used[column] || c.text != ""
		}
	}
	for _, row := range rows {
		var cells []judgedCell
		for column, c := range row {
			if used[column] {
				cells = append(cells, c)
			}
		}
		kept = append(kept, cells)
	}
	return kept
}

// amountInAnotherColumn finds a row whose empty cells are missing, so that what follows is under another heading.
func amountInAnotherColumn(p page, text string) (found string) {
	for _, table := range dataTables(p) {
		for _, row := range table {
			var all, short []string
			for _, c := range row {
				all = append(all, c.text)
				if c.text != "" {
					short = append(short, c.text)
				}
			}
			moved := strings.Join(short, " | ")
			kept := strings.TrimRight(strings.Join(all, " | "), " |")
			if moved != kept && slices.Contains(lines(text), moved) {
				found = moved
			}
		}
	}
	return found
}

// rowOfDataOnManyLines finds a row of data whose cells are not all on one line.
func rowOfDataOnManyLines(p page, text string) (found string) {
	for _, table := range dataTables(p) {
		for _, row := range table {
			var first []string
			for _, c := range row {
				if c.text == "" || strings.Count(strings.TrimSpace(textOf(c.node)), "\n") > 0 || has(c.node, atom.Pre) {
					continue
				}
				first = append(first, strings.Fields(c.text)[0])
			}
			onOneLine := slices.ContainsFunc(lines(text), func(line string) bool {
				missing := func(word string) bool { return !strings.Contains(plain(line), word) }
				return !slices.ContainsFunc(first, missing)
			})
			if !onOneLine {
				found = strings.Join(first, " ")
			}
		}
	}
	return found
}

var (
	digitsAtEnd   = regexp.MustCompile(`\d+$`)
	digitsAtStart = regexp.MustCompile(`^\d+`)
)

// numberOfTwo finds a raised or lowered number that was joined with the number before it. It judges numbers that occur
// once.
func numberOfTwo(p page, text string) (found string) {
	each(p.doc, func(n *html.Node) {
		if n.DataAtom != atom.Sup && n.DataAtom != atom.Sub || n.PrevSibling == nil {
			return
		}
		before, own := digitsAtEnd.FindString(textOf(n.PrevSibling)), digitsAtStart.FindString(textOf(n))
		if joined := before + own; before != "" && own != "" && strings.Count(textOf(p.doc), joined) == 1 &&
			strings.Contains(text, joined) {
			found = joined
		}
	})
	return found
}

// footAboveRows finds the first words of a tfoot above those of the last row of its table.
func footAboveRows(p page, text string) (found string) {
	text = plain(text)
	each(p.doc, func(n *html.Node) {
		if n.DataAtom != atom.Tfoot {
			return
		}
		for part := next(n); part != nil; part = next(part) {
			foot, body := seenIn(n), seenIn(part)
			if part.DataAtom == atom.Tbody && foot != "" && body != "" &&
				strings.Index(text, strings.Fields(foot)[0]) < strings.Index(text, strings.Fields(body)[0]) {
				found = foot
			}
		}
	})
	return found
}

// spacesLost finds a text whose style keeps its spaces, and a run of spaces in it that the text does not have.
func spacesLost(p page, text string) (found string) {
	each(p.doc, func(n *html.Node) {
		space := p.value(n, "white-space")
		if space != "pre-wrap" && space != "pre" && space != "break-spaces" || n.FirstChild == nil ||
			n.FirstChild.Type != html.TextNode {
			return
		}
		for _, line := range lines(n.FirstChild.Data) {
			line = strings.TrimRight(line, " ")
			if strings.Contains(strings.TrimSpace(line), "  ") && !strings.Contains(text, line) {
				found = line
			}
		}
	})
	return found
}
