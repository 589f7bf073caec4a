package console

import (
	"embed"
	"io/fs"
	"net/http"
	"slices"

	"frontdesk/internal/base/webparts"
	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/ses"
)

//go:embed assets
var assets embed.FS

// screen serves the screen, and the mails that it shows.
type screen struct {
	raw   func(id string) ([]byte, bool)
	mails func() []ses.Mail // newest first
	// warnings returns the API's warnings, by the ids of the requests that it answered with them.
	warnings func() map[string][]string
	digests  *digests
}

// handle adds the paths of the screen: GET /_local/, its assets below /_local/assets/ and, for every mail that raw
// has, three paths below /_local/outbox/<id>/: the message taken apart, in JSON; its html, for a sandboxed frame; and
// its parts/<number>, for download. /_local/search searches the mails, and /_local/summaries has what the list shows
// of each.
func (s screen) handle(mux *http.ServeMux) {
	mux.HandleFunc("GET /_local/{$}", s.serveScreen)
	mux.HandleFunc("GET /_local/assets/{name}", serveAsset)
	mux.HandleFunc("GET /_local/search", s.serveSearch)
	mux.HandleFunc("GET /_local/summaries", s.serveSummaries)
	mux.HandleFunc("GET /_local/outbox/{id}/message", s.serveMessage)
	mux.HandleFunc("GET /_local/outbox/{id}/html", s.serveHTML)
	mux.HandleFunc("GET /_local/outbox/{id}/parts/{number}", s.servePart)
}

// serveAsset serves a file of the screen. The pieces that it shares with other pages stand beside its own.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if _, err := fs.Stat(webparts.Files, name); err == nil {
		http.ServeFileFS(w, r, webparts.Files, name)
		return
	}
	http.ServeFileFS(w, r, assets, "assets/"+name)
}

// serveScreen serves the screen itself, with the policy for its scripts.
func (screen) serveScreen(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", screenPolicy)
	http.ServeFileFS(w, r, assets, "assets/screen.html")
}

// serveMessage serves a mail taken apart, with its summary.
func (s screen) serveMessage(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	raw, ok := s.raw(id)
	mails := s.mails()
	i := slices.IndexFunc(mails, func(m ses.Mail) bool { return m.ID == id })
	// The mail may have been deleted between the two reads.
	if !ok || i < 0 {
		httpserver.WriteError(w, http.StatusNotFound, "Not Found")
		return
	}
	httpserver.WriteJSON(w, struct {
		readable
		Summary summary `json:"summary"`
	}{readMessage(raw), s.summary(mails[i], raw, s.warnings())})
}
