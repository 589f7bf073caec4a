package plaintext

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// quirky are the beginnings of public identifiers of old document types, in lower case, by which browsers choose the
// quirks mode (HTML 13.2.6.4.1). Identifiers of one owner are taken together.
var quirky = []string{
	"+//silmaril//", "-//advasoft ltd//", "-//as//", "-//ietf//dtd html", "-//metrius//",
	"-//microsoft//dtd internet explorer",
	"-//netscape comm. corp.//", "-//o'reilly and associates//", "-//softquad", "-//spyglass//", "-//sq//",
	"-//sun microsystems corp.//", "-//w3c//dtd html 3", "-//w3c//dtd html 4.0 frameset//",
	"-//w3c//dtd html 4.0 transitional//", "-//w3c//dtd html experimental", "-//w3c//dtd w3 html",
	"-//w3o//dtd w3 html", "-//webtechs//", "-/w3c/dtd html 4.0 transitional/en", "html",
}

// quirkyWithoutSystem are those that count only without a system identifier.
var quirkyWithoutSystem = []string{"-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//"}

// inQuirksMode reports whether browsers show a document in quirks mode, as they do without a document type.
func inQuirksMode(doc *html.Node) bool {
	for n := doc.FirstChild; n != nil; n = n.NextSibling {
		if n.Type != html.DoctypeNode {
			continue
		}
		public := strings.ToLower(attribute(n, "public"))
		begins := func(with string) bool { return strings.HasPrefix(public, with) }
		return !strings.EqualFold(n.Data, "html") || slices.ContainsFunc(quirky, begins) ||
			!hasAttribute(n, "system") && slices.ContainsFunc(quirkyWithoutSystem, begins)
	}
	return true
}
