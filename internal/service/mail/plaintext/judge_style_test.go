package plaintext

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// judgedRule is a rule of a style sheet as the judge reads it.
type judgedRule struct {
	selector     []string
	specificity  int
	declarations string
}

// The judge reads style sheets by regular expressions, so that it does not repeat a mistake of the parser that it
// judges. It knows what the corpus uses: at most two @media blocks inside each other.
var (
	cssComment  = regexp.MustCompile(`(?s)/\*.*?\*/|<!--|-->`)
	screenBlock = regexp.MustCompile(`(?i)@media\s+(?:(?:only\s+)?(?:screen|all)|\(min-width:\s*0(?:px)?\))\s*` +
		`\{((?:[^{}]*\{[^{}]*\})*[^{}]*)\}`)
	mediaBlock = regexp.MustCompile(`@[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}|@[^{};]*;`)
	ruleBlock  = regexp.MustCompile(`([^{}]+)\{([^{}]*)\}`)
	notJudged  = regexp.MustCompile(`[^\w\s.#>-]`)
	simple     = regexp.MustCompile(`[.#]?[\w-]+`)
)

// judgedRules returns the rules that hold on all screens. It skips selectors that it does not understand, such as
// those with a pseudo-class.
func judgedRules(css string) (rules []judgedRule) {
	css = cssComment.ReplaceAllString(css, "")
	for range 2 { // blocks inside each other
		css = screenBlock.ReplaceAllString(css, "$1")
	}
	css = mediaBlock.ReplaceAllString(css, "")
	for _, block := range ruleBlock.FindAllStringSubmatch(css, -1) {
		for selector := range strings.SplitSeq(block[1], ",") {
			if notJudged.MatchString(selector) {
				continue
			}
			specificity := 0
			for _, name := range simple.FindAllString(selector, -1) {
				switch name[0] {
				case '#':
					specificity += 10_000
				case '.':
					specificity += 100
				default:
					specificity++
				}
			}
			parts := strings.Fields(strings.ReplaceAll(selector, ">", " > "))
			rules = append(rules, judgedRule{parts, specificity, block[2]})
		}
	}
	return rules
}

// selects reports whether an element and those around it match the parts of a selector.
func selects(selector []string, n *html.Node) bool {
	if len(selector) == 0 || n == nil || n.Type != html.ElementNode {
		return false
	}
	last := len(selector) - 1
	for _, name := range simple.FindAllString(selector[last], -1) {
		switch name[0] {
		case '#':
			if get(n, "id") != name[1:] {
				return false
			}
		case '.':
			if !strings.Contains(" "+strings.Join(strings.Fields(get(n, "class")), " ")+" ", " "+name[1:]+" ") {
				return false
			}
		default:
			if !strings.EqualFold(n.Data, name) {
				return false
			}
		}
	}
	if last == 0 {
		return true
	}
	if selector[last-1] == ">" {
		return selects(selector[:last-1], n.Parent)
	}
	for around := n.Parent; around != nil; around = around.Parent {
		if selects(selector[:last], around) {
			return true
		}
	}
	return false
}

// value returns the value of a property that wins for an element: by importance, then its own style attribute, then
// specificity, then order.
func (p *page) value(n *html.Node, property string) string {
	won, value := -1, ""
	declare := func(declarations string, weight int) {
		for declaration := range strings.SplitSeq(strings.ToLower(declarations), ";") {
			name, said, _ := strings.Cut(declaration, ":")
			if strings.TrimSpace(name) != property {
				continue
			}
			said, _, important := strings.Cut(said, "!")
			by := weight
			if important {
				by += 10_000_000
			}
			if by >= won {
				won, value = by, strings.TrimSpace(said)
			}
		}
	}
	for _, rule := range p.rules {
		if strings.Contains(strings.ToLower(rule.declarations), property) && selects(rule.selector, n) {
			declare(rule.declarations, rule.specificity)
		}
	}
	declare(get(n, "style"), 1_000_000)
	return value
}

// hides reports whether no reader sees an element. A box without height that clips shows nothing. Inline elements and
// cells are no such boxes.
func (p *page) hides(n *html.Node) bool {
	display := p.value(n, "display")
	if display == "none" {
		return true
	}
	empty := strings.HasPrefix(p.value(n, "height"), "0") || strings.HasPrefix(p.value(n, "max-height"), "0")
	box := display == "block" || n.DataAtom == atom.Div || n.DataAtom == atom.P
	return box && empty && (p.value(n, "overflow") == "hidden" || p.value(n, "overflow-y") == "hidden")
}

// inLine reports whether the words of an element join those before and after it without a border.
func (p *page) inLine(n *html.Node) bool {
	display, float, around := p.value(n, "display"), p.value(n, "float"), ""
	if n.Parent != nil && n.Parent.Type == html.ElementNode {
		around = p.value(n.Parent, "display")
	}
	return (inline[n.DataAtom] || p.inlineA && n.DataAtom == atom.A) && (display == "" || display == "inline") &&
		(float == "" || float == "none") && !strings.HasSuffix(around, "flex")
}
