package unsubscribe

import (
	_ "embed"
	"html"
	"net/http"
	"strings"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/webpage"

	"golang.org/x/text/language"
)

var (
	//go:embed page.html
	frame string
	//go:embed page.css
	style string

	styles = webpage.Style + style
)

// policy is the page's Content-Security-Policy. The page may send its form to its own origin, and nothing else; it has
// no script.
// https://www.w3.org/TR/CSP3/
var policy = "default-src 'none'; style-src " + webpage.Hash(styles) +
	"; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// page is what a person sees. It never names the recipient, nor says whether he has left: whoever has the link learns
// only the name of the list and the sender's address.
type page struct {
	name   string // for the log; "" for the page of an error, which has a code
	notice func(wording) notice
	button *button // nil for none
}

// button is a button with its form. Does is what the form asks for.
type button struct {
	label func(wording) string
	does  string
}

var (
	leaving = &button{func(w wording) string { return w.leave }, oneClick}
	wayBack = &button{func(w wording) string { return w.comeBack }, undo}
)

var (
	asking     = page{"asking", func(w wording) notice { return w.asking }, leaving}
	done       = page{"done", func(w wording) notice { return w.done }, wayBack}
	undone     = page{"undone", func(w wording) notice { return w.undone }, leaving}
	kept       = page{"kept", func(w wording) notice { return w.kept }, nil}
	redirected = page{"redirected", func(w wording) notice { return w.redirected }, nil}
	notGood    = page{"", func(w wording) notice { return w.notGood }, nil}
	noForm     = page{"", func(w wording) notice { return w.noForm }, nil}
	failed     = page{"", func(w wording) notice { return w.failed }, nil}
)

// pageOf is the page for an error with that status.
func pageOf(status int) page {
	switch status {
	case http.StatusNotFound:
		return notGood
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge:
		return noForm
	}
	return failed
}

// languageFor returns the language of the page for whoever sent a request.
func languageFor(r *api.Request) language.Tag { return languageOf(r.Headers["accept-language"]) }

// mails are what a page is about. A name that is "" is not shown.
type mails struct {
	list   string
	sender string // an address
}

// html renders the page in a language.
func (p page) html(of mails, in language.Tag) []byte {
	w := wordings[in]
	about := row(w.list, of.list) + row(w.sender, of.sender)
	if about != "" {
		about = "<dl>" + about + "</dl>"
	}
	form := ""
	if b := p.button; b != nil {
		form = `<form method="post"><input type="hidden" name="List-Unsubscribe" value="` + b.does + `">` +
			`<button type="submit">` + b.label(w) + `</button></form>`
	}
	says := p.notice(w)
	return []byte(strings.NewReplacer("{{lang}}", in.String(), "{{style}}", styles, "{{title}}", says.title,
		"{{text}}", says.text, "{{about}}", about, "{{form}}", form).Replace(frame))
}

// row renders a name with what it is the name of; "" if there is none.
func row(what, name string) string {
	if name == "" {
		return ""
	}
	return "<div><dt>" + what + "</dt><dd><bdi>" + html.EscapeString(name) + "</bdi></dd></div>"
}
