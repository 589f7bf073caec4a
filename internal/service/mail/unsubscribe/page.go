package unsubscribe

import (
	_ "embed"
	"html"
	"net/http"
	"strings"

	"frontdesk/internal/base/webpage"
)

//go:embed page.html
var frame string

// policy is the page's Content-Security-Policy. The page may send its form to its own origin, and nothing else; it has
// no script.
// https://www.w3.org/TR/CSP3/
var policy = "default-src 'none'; style-src " + webpage.Hash(webpage.Style) +
	"; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// page is what a person sees. It never names the recipient: whoever has the link learns only the name of the list.
type page struct {
	name  string // for the log; "" for the page of an error, which has a code
	title string
	text  string // {mails} becomes the mails that the link belongs to
	asks  []button
}

// button is a button with its form. Does is what the form asks for.
type button struct{ label, does string }

var (
	leaving = button{"Unsubscribe", oneClick}
	wayBack = button{"Get these mails again", undo}
)

var (
	asking = page{
		name: "asking", title: "Stop these mails?", text: "You will get no more {mails}.",
		asks: []button{leaving, wayBack},
	}
	done = page{
		name: "done", title: "You are unsubscribed",
		text: "You will get no more {mails}. One that is under way may still come.", asks: []button{wayBack},
	}
	undone = page{
		name: "undone", title: "You get these mails again", text: "You will get {mails}, as before.",
		asks: []button{leaving},
	}
	kept = page{
		name: "kept", title: "You stay unsubscribed",
		text: "The sender has noted that you want no more {mails}. A link cannot change that. " +
			"Write to the sender if you want them again.",
	}
	redirected = page{
		name: "redirected", title: "This link changes nothing",
		text: "The mail with it was redirected. The link to unsubscribe is in the mail that its recipient would get.",
	}
	notGood = page{
		title: "This link does not work",
		text:  "Open the whole link that is in the mail, or copy all of it into the address bar.",
	}
	noForm = page{title: "Nothing was changed", text: "Open the link from the mail once more, and use its button."}
	failed = page{title: "That did not work", text: "It may not be done. Try again in a moment."}
)

// pageOf is the page for an error with that status.
func pageOf(status int) []byte {
	switch status {
	case http.StatusNotFound:
		return notGood.html("")
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge:
		return noForm.html("")
	}
	return failed.html("")
}

// html renders the page for a list.
func (p page) html(list string) []byte {
	mails := "mails like the one with this link"
	if list != "" {
		mails = "mails of the list “" + html.EscapeString(list) + "”"
	}
	forms := ""
	for _, b := range p.asks {
		forms += `<form method="post"><input type="hidden" name="List-Unsubscribe" value="` + b.does + `">` +
			`<button type="submit">` + b.label + `</button></form>`
	}
	return []byte(strings.NewReplacer("{{style}}", webpage.Style, "{{title}}", p.title,
		"{{text}}", strings.ReplaceAll(p.text, "{mails}", mails), "{{forms}}", forms).Replace(frame))
}
