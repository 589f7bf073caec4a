package ses

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"frontdesk/internal/develop/local/httpserver"
)

// handle adds the paths of the outbox: GET /_local/outbox, a JSON array of [Mail], newest first; /_local/outbox/<id>,
// one mail; /_local/outbox/<id>.eml, the message as it was sent. DELETE of the list or of one mail answers 204. Two
// parameters narrow the list, for DELETE as well: ?to=, an address of the envelope in any case, and ?subject=, a part
// of the subject.
func (o *Outbox) handle() {
	o.mux.HandleFunc("GET /_local/outbox", o.serveList)
	o.mux.HandleFunc("DELETE /_local/outbox", o.serveDelete)
	o.mux.HandleFunc("GET /_local/outbox/{id}", o.serveMail)
	o.mux.HandleFunc("DELETE /_local/outbox/{id}", o.serveDelete)
}

func (o *Outbox) ServeHTTP(w http.ResponseWriter, r *http.Request) { o.mux.ServeHTTP(w, r) }

// serveList serves the mails that match the query.
func (o *Outbox) serveList(w http.ResponseWriter, r *http.Request) {
	mails, err := o.narrowed(r.URL.Query())
	if err != nil {
		httpserver.WriteError(w, http.StatusBadRequest, err.Error())
		return
	}
	httpserver.WriteJSON(w, append([]Mail{}, mails...)) // never null
}

// narrowed returns the mails that match a query. An unknown parameter is an error: a test that misspells one must not
// get, or delete, all mails.
func (o *Outbox) narrowed(query url.Values) ([]Mail, error) {
	for name := range query {
		if name != "to" && name != "subject" {
			return nil, fmt.Errorf("the parameter %+q is neither to nor subject", name)
		}
	}
	return slices.DeleteFunc(o.Mails(), func(m Mail) bool {
		isTo := func(given string) bool { return strings.EqualFold(bare(given), query.Get("to")) }
		return query.Has("to") && !slices.ContainsFunc(m.To, isTo) || !strings.Contains(m.Subject, query.Get("subject"))
	}), nil
}

// serveDelete deletes one mail, or all mails that match the query. Only for one mail it matters whether it exists.
func (o *Outbox) serveDelete(w http.ResponseWriter, r *http.Request) {
	ids := []string{r.PathValue("id")}
	if ids[0] == "" {
		mails, err := o.narrowed(r.URL.Query())
		if err != nil {
			httpserver.WriteError(w, http.StatusBadRequest, err.Error())
			return
		}
		// The list is read and deleted in two steps, so a mail that arrives in between stays.
		ids = ids[:0]
		for _, m := range mails {
			ids = append(ids, m.ID)
		}
	}
	switch n, err := o.Delete(ids...); {
	case err != nil:
		httpserver.WriteError(w, http.StatusInternalServerError, err.Error())
	case n == 0 && r.PathValue("id") != "":
		httpserver.WriteError(w, http.StatusNotFound, "Not Found")
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// serveMail serves a mail as JSON or, with .eml behind the id, its message.
func (o *Outbox) serveMail(w http.ResponseWriter, r *http.Request) {
	id, wantRaw := strings.CutSuffix(r.PathValue("id"), ".eml")
	mails := o.Mails()
	i := slices.IndexFunc(mails, func(m Mail) bool { return m.ID == id })
	if i >= 0 && !wantRaw {
		httpserver.WriteJSON(w, mails[i])
		return
	}
	raw, ok := o.Raw(id)
	if !ok || !wantRaw {
		httpserver.WriteError(w, http.StatusNotFound, "Not Found")
		return
	}
	w.Header().Set("Content-Type", "message/rfc822")
	w.Write(raw)
}
