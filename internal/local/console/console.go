// Package console is the screen of the local stack: what it has sent, what it was asked, and the
// credentials to ask with. The pages are plain HTML, CSS and JavaScript, and read JSON that the
// stack serves beside them; mails are taken apart here.
package console

import (
	"embed"
	"net/http"

	"frontdesk/internal/local/httpbody"
)

//go:embed assets
var assets embed.FS

// console serves the screen and the mails that it shows.
type console struct {
	raw func(id string) ([]byte, bool)
}

// New returns the screen at GET /_local/, with its assets under /_local/assets/, and what it needs of
// every mail that raw has: under /_local/outbox/<id>/ the message taken apart, in JSON; its html, to
// be shown in a sandboxed frame; and its parts/<number>, to be downloaded.
func New(raw func(id string) (message []byte, ok bool)) http.Handler {
	c := console{raw}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_local/{$}", c.serveScreen)
	mux.Handle("GET /_local/assets/", http.StripPrefix("/_local/", http.FileServerFS(assets)))
	mux.HandleFunc("GET /_local/outbox/{id}/message", c.serveMessage)
	mux.HandleFunc("GET /_local/outbox/{id}/html", c.serveHTML)
	mux.HandleFunc("GET /_local/outbox/{id}/parts/{number}", c.servePart)
	return mux
}

func (console) serveScreen(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", screenPolicy)
	http.ServeFileFS(w, r, assets, "assets/screen.html")
}

func (c console) serveMessage(w http.ResponseWriter, r *http.Request) {
	raw, ok := c.raw(r.PathValue("id"))
	if !ok {
		httpbody.WriteError(w, http.StatusNotFound, "Not Found")
		return
	}
	httpbody.WriteJSON(w, readMessage(raw))
}
