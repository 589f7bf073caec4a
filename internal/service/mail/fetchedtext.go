package mail

import (
	"fmt"
	"slices"

	"frontdesk/internal/service/mail/fetch"
	"frontdesk/internal/service/mail/relativeurl"
)

// The types of what each text is made of. A text of another type is sent with a warning: somebody may have given the
// wrong URL, or its server a wrong type.
var (
	htmlTypes  = []string{"text/html", "application/xhtml+xml"}
	plainTypes = []string{"text/plain", "text/markdown", "text/x-markdown"}
)

// readText returns a download as the text of a field, html or text. The addresses of HTML are made absolute.
func readText(field string, f fetch.File) (text string, warnings []string, err error) {
	text, base, guessed, err := f.Text()
	switch {
	case err != nil, blank(text):
		return text, nil, err
	case len(text) > MaxText: // a character of one byte may have three in UTF-8
		return "", nil, fetch.ErrOverBudget
	}
	isHTML := slices.Contains(htmlTypes, base)
	if field != "html" {
		if isHTML || !guessed && !slices.Contains(plainTypes, base) {
			warnings = append(warnings, fmt.Sprintf("%surl answers %s, which is sent as plain text", field, base))
		}
		return text, warnings, nil
	}
	if !isHTML && !guessed { // the first bytes of a part of a page may look as plain text
		warnings = append(warnings, fmt.Sprintf("%surl answers %s, which is sent as HTML", field, base))
	}
	text, unresolved, err := relativeurl.Resolve(text, f.URL(), MaxText)
	if cut := len(unresolved) == relativeurl.MaxUnresolved; len(unresolved) > 0 {
		warnings = append(warnings, fmt.Sprintf("%surl answers HTML with relative addresses, which lead nowhere in a "+
			"mail, because its base is no web address: %s", field, listSome(brief(unresolved), cut)))
	}
	return text, warnings, err
}
