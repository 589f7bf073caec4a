package console

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/base/htmlparse"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// What a filter keeps of a mail's HTML: everything that lays out a newsletter, and nothing that runs, loads or submits.
var (
	elements = setOf(`a abbr acronym address article aside b bdi bdo big blockquote body br caption center cite code col
		colgroup dd del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hr html i
		img
		ins kbd li main mark nav ol p pre q s samp section small span strike strong style sub summary sup table tbody td
		tfoot th thead time tr tt u ul var wbr`)
	// dropped are elements that are removed with their content, because browsers parse it by special rules. Other
	// elements that are not kept leave their content behind.
	dropped = setOf(`applet audio base canvas embed fencedframe frame frameset iframe link listing math meta noembed
		noframes object plaintext script select svg template textarea title video xmp`)
	attributes = setOf(`abbr align alink alt aria-hidden aria-label bgcolor border bordercolor cellpadding cellspacing
		class clear color colspan compact datetime dir face frame headers height hspace id lang leftmargin link
		marginheight marginwidth name noshade nowrap open role rowspan rules scope size span start summary text title
		topmargin type valign value vlink vspace width`)

	linkURL = regexp.MustCompile(`^(?i:https?:|mailto:|tel:|#)`)

	ownPictures = newFilter(`cid:|data:image/`)           // pictures in the mail itself
	allPictures = newFilter(`cid:|data:image/|https?://`) // pictures of sites too
)

// filter removes everything from a mail's HTML that is not allowed. Filters differ in which pictures they keep.
type filter struct{ picture, pictures, cssPicture *regexp.Regexp }

// newFilter compiles the patterns for pictures with these schemes. The characters of a URL are limited to those that
// cannot end an attribute or a url().
func newFilter(schemes string) filter {
	picture := `(?i:` + schemes + `)[\w+/=%;,:.@!$&*~#?-]+`
	candidate := `\s*` + picture + `(?:\s+[\d.]+[wx])?\s*`
	return filter{
		picture:  regexp.MustCompile(`^` + picture + `$`),
		pictures: regexp.MustCompile(`^` + candidate + `(?:,` + candidate + `)*$`),
		cssPicture: regexp.MustCompile(
			`^(?i:url)\(\s*(?:"` + picture + `"|'` + picture + `'|` + picture + `)\s*\)$`),
	}
}

// lineBreaks removes what browsers remove from a URL before they parse it (URL Standard, "basic URL parser").
var lineBreaks = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// setOf returns the words of a text as a set.
func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

const (
	maxPasses   = 8           // until the output parses to itself
	maxKept     = 16 << 20    // bytes of attributes, which the parser may repeat
	parseWithin = time.Second // for each pass
)

// apply parses HTML as browsers do, removes what is not allowed, and repeats this until its output parses to itself.
// Then a browser cannot read it in any other way.
func (f filter) apply(source string) (*html.Node, error) {
	for range maxPasses {
		doc, err := htmlparse.Parse(source, time.Now().Add(parseWithin),
			html.ParseOptionEnableScripting(false)) // the frame runs no scripts
		if err != nil {
			return nil, err
		}
		budget := maxKept
		f.keepIn(doc, &budget)
		if budget < 0 {
			return nil, errors.New("its attributes are too large")
		}
		openInTabs(doc)
		text := string(render(doc))
		// Trees that print alike can differ: the parser moves elements out of tables and forms. So the text has to
		// be stable.
		if text == source {
			return doc, nil
		}
		source = text
	}
	return nil, errors.New("its elements are nested in no order that lasts")
}

// render writes a tree as HTML.
func render(n *html.Node) []byte {
	var page bytes.Buffer
	html.Render(&page, n) // neither can fail: the parser made the tree, and it is a buffer
	return page.Bytes()
}

// openInTabs puts a base element first into the head, so that links open in a tab.
func openInTabs(n *html.Node) {
	for child := range n.ChildNodes() {
		if child.DataAtom == atom.Head {
			child.InsertBefore(&html.Node{Type: html.ElementNode, Data: "base", DataAtom: atom.Base,
				Attr: []html.Attribute{{Key: "target", Val: "_blank"}}}, child.FirstChild)
			return
		}
		openInTabs(child)
	}
}

// keepIn filters the children of a node. It subtracts the length of the attributes from left, and keeps none
// below zero.
func (f filter) keepIn(n *html.Node, budget *int) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		switch {
		// Browsers disagree about where a comment ends, and parse SVG and MathML by other rules.
		case child.Type == html.CommentNode,
			child.Type == html.ElementNode && (child.Namespace != "" || dropped[child.Data]):
			n.RemoveChild(child)
		// An unknown element is replaced by its children.
		case child.Type == html.ElementNode && !elements[child.Data]:
			if child.FirstChild != nil {
				next = child.FirstChild
			}
			// The children are filtered in their new place: next is the first of them.
			for inner := child.FirstChild; inner != nil; inner = child.FirstChild {
				child.RemoveChild(inner)
				n.InsertBefore(inner, child)
			}
			n.RemoveChild(child)
		case child.Type == html.TextNode && n.DataAtom == atom.Style:
			child.Data = f.harmlessCSS(child.Data)
			// Style is printed as it is. With an end tag in it, a browser would read the rest as HTML.
			if strings.Contains(child.Data, "</") {
				n.RemoveChild(child)
			}
		case child.Type == html.ElementNode:
			child.Attr = f.keptAttributes(child, budget)
			f.keepIn(child, budget)
		}
		child = next
	}
}

// keptAttributes returns the attributes that stay. If a name is repeated, browsers use the first attribute.
func (f filter) keptAttributes(n *html.Node, budget *int) (attrs []html.Attribute) {
	for _, a := range n.Attr {
		repeated := slices.ContainsFunc(attrs, func(other html.Attribute) bool { return other.Key == a.Key })
		*budget -= len(a.Key) + len(a.Val)
		if *budget < 0 {
			return nil
		}
		// Browsers ignore these characters in URLs, wherever they stand.
		address := strings.TrimLeftFunc(lineBreaks.Replace(a.Val), func(r rune) bool { return r <= ' ' })
		keep := attributes[a.Key]
		switch a.Key {
		// It stays on links alone, which load nothing until a reader clicks.
		case "href":
			a.Val, keep = address, n.DataAtom == atom.A && linkURL.MatchString(address)
		case "src", "background":
			a.Val, keep = address, f.picture.MatchString(address)
		case "srcset":
			keep = n.DataAtom == atom.Img && f.pictures.MatchString(a.Val)
		case "style":
			a.Val, keep = f.harmlessCSS(a.Val), true
		}
		if keep && !repeated && a.Namespace == "" {
			attrs = append(attrs, a)
		}
	}
	return attrs
}

var (
	// cssSpelled matches what a mailer has no reason to escape: letters, the hyphen between them, and the @ of a rule.
	cssSpelled = regexp.MustCompile(`^[A-Za-z@-]$`)
	cssEscape  = regexp.MustCompile(`(?s)\\([0-9A-Fa-f]{1,6}|.)`)
	// cssLoads matches everything that makes a browser fetch something, or once did. A URL that it cannot match
	// completely is cut off.
	cssLoads = regexp.MustCompile(`(?i)url\(\s*(?:"[^"'()\\]*"|'[^"'()\\]*'|[^"'()\\\s]*)\s*\)|url\(|` +
		`@import|image-set\(|image\(|src\(|expression\(|-moz-binding|behavior\s*:`)
)

// harmlessCSS returns a style sheet, or the declarations of one, that loads nothing but allowed pictures. It drops CSS
// that spells letters as escapes, which no mailer does.
func (f filter) harmlessCSS(css string) string {
	// CSS reads \75 rl as url, so the pattern below would miss it.
	for _, escape := range cssEscape.FindAllStringSubmatch(css, -1) {
		character := escape[1]
		if code, err := strconv.ParseUint(escape[1], 16, 32); err == nil {
			character = string(rune(code))
		}
		if cssSpelled.MatchString(character) {
			return ""
		}
	}
	return cssLoads.ReplaceAllStringFunc(css, func(load string) string {
		switch {
		case f.cssPicture.MatchString(load):
			return load
		case strings.HasSuffix(load, ")"):
			return "url(data:,)"
		case strings.HasPrefix(load, "@"):
			// Browsers skip it, with its block.
			return "@none"
		default:
			// An unknown function is ignored by browsers. The parentheses stay balanced, so that what follows keeps
			// its meaning.
			return "none-" + strings.Repeat("(", strings.Count(load, "("))
		}
	})
}
