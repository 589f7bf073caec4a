package console

import (
	"embed"
	"net/http"
	"slices"

	"frontdesk/internal/local/httpbody"
	"frontdesk/internal/local/ses"
)

//go:embed assets
var assets embed.FS

// screen serves the screen and the mails that it shows.
type screen struct {
	raw   func(id string) ([]byte, bool)
	mails func() []ses.Mail // newest first
	// warnings are the API's, by the ids of the requests that it answered with them.
	warnings func() map[string][]string
	digests  *digests
}

// handle adds the screen at GET /_local/, with its assets under /_local/assets/, and what it needs of every mail that
// raw has: under /_local/outbox/<id>/ the message taken apart, in JSON; its html, to be shown in a sandboxed frame; and
// its parts/<number>, to be downloaded. /_local/search searches them, and
// /_local/summaries has what the list shows of each.
func (s screen) handle(mux *http.ServeMux) {
	mux.HandleFunc("GET /_local/{$}", s.serveScreen)
	mux.Handle("GET /_local/assets/", http.StripPrefix("/_local/", http.FileServerFS(assets)))
	mux.HandleFunc("GET /_local/search", s.serveSearch)
	mux.HandleFunc("GET /_local/summaries", s.serveSummaries)
	mux.HandleFunc("GET /_local/outbox/{id}/message", s.serveMessage)
	mux.HandleFunc("GET /_local/outbox/{id}/html", s.serveHTML)
	mux.HandleFunc("GET /_local/outbox/{id}/parts/{number}", s.servePart)
}

func (screen) serveScreen(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", screenPolicy)
	http.ServeFileFS(w, r, assets, "assets/screen.html")
}

func (s screen) serveMessage(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	raw, ok := s.raw(id)
	mails := s.mails()
	i := slices.IndexFunc(mails, func(m ses.Mail) bool { return m.ID == id })
	if !ok || i < 0 {
		httpbody.WriteError(w, http.StatusNotFound, "Not Found")
		return
	}
	httpbody.WriteJSON(w, struct {
		readable
		Summary summary `json:"summary"`
	}{readMessage(raw), s.summary(mails[i], raw, s.warnings())})
}
