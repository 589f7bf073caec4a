// Package requestlog keeps the latest requests to the API, with the calls and the log lines of each. It stands in for
// CloudWatch Logs and access logs. Unlike these, it keeps everything in memory, and only 1,000 requests.
package requestlog

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/develop/local/gateway"
	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/lambda"
)

// Requests keeps the latest requests.
//
// As an http.Handler it serves GET /_local/requests, a JSON array of the requests, newest first, or of those that
// contain all words of ?search=; and /_local/requests/<id>, one request with its exchange, its calls and its log lines.
// What was sent is shown as it is, with the secrets in it: they are this machine's.
type Requests struct {
	config    Config
	mux       *http.ServeMux
	byCallers latest // requests of people and programs
	byPages   latest // requests that pages make by themselves, which must not push the others out
}

// Config says where to ask what became of requests.
type Config struct {
	Invocations func() []lambda.Invocation
	Calls       func(requestID string) []awsproxy.Call
	Log         *Log
	Changed     func() // called for every new request
}

// New returns an empty list of requests.
func New(c Config) *Requests {
	l := &Requests{config: c, mux: http.NewServeMux()}
	l.mux.HandleFunc("GET /_local/requests", l.serveList)
	l.mux.HandleFunc("GET /_local/requests/{id}", l.serveRequest)
	return l
}

// Add keeps a request that was answered.
func (l *Requests) Add(r gateway.Request) {
	x, list := newExchange(r), &l.byCallers
	if isByPage(r) {
		list = &l.byPages
	}
	r.Header, r.Body, r.Answer = nil, gateway.Text{}, gateway.Text{}
	list.add(entry{Request: r, reason: x.reason(r.Status), warnings: x.warnings(), exchange: &x})
	l.config.Changed()
}

// isByPage reports whether one of the stack's own pages made a request by itself: for an icon, a style, or the contract
// that the docs show. Requests of "Send again" and of the docs' "Try it out" are not among these.
// https://www.w3.org/TR/fetch-metadata/
func isByPage(r gateway.Request) bool {
	if r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Site") != "same-origin" {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Dest") {
	// Somebody has opened the page, by its address or by a link.
	case "document":
		return false
	case "empty":
		return r.Path == "/openapi.json"
	}
	return true
}

// maxByPages is how many requests of pages are listed.
const maxByPages = 50

// newest returns the listed requests, newest first.
func (l *Requests) newest() []entry {
	byPages := l.byPages.newest()
	all := append(l.byCallers.newest(), byPages[:min(len(byPages), maxByPages)]...)
	slices.SortStableFunc(all, func(a, b entry) int { return b.At.Compare(a.At) })
	return all
}

// Newest returns the latest requests, newest first: 1,000 of people and programs, and 50 of pages.
func (l *Requests) Newest() (all []gateway.Request) {
	for _, r := range l.newest() {
		all = append(all, r.Request)
	}
	return all
}

// Warnings returns the warnings in the answers to the listed requests, by the ids of the requests.
func (l *Requests) Warnings() map[string][]string {
	all := map[string][]string{}
	for _, r := range l.newest() {
		if len(r.warnings) > 0 {
			all[r.ID] = r.warnings
		}
	}
	return all
}

func (l *Requests) ServeHTTP(w http.ResponseWriter, r *http.Request) { l.mux.ServeHTTP(w, r) }

// shownRequest is the JSON of a request, with what became of it in its function.
type shownRequest struct {
	ID         string    `json:"id"`
	At         time.Time `json:"at"`
	Method     string    `json:"method"`
	Path       string    `json:"path"`
	Query      string    `json:"query"`
	Status     int       `json:"status"`
	MS         float64   `json:"ms"`
	Function   string    `json:"function"`
	Start      string    `json:"start"`    // "cold" or "warm"; empty if no process got it, or one still works on it
	InitMS     float64   `json:"init_ms"`  // the cold start's part of ms
	Error      string    `json:"error"`    // the cause of a failure, which the client does not learn
	Reason     string    `json:"reason"`   // why it was refused, from the answer
	Warnings   []string  `json:"warnings"` // from the answer
	RoundTrips int       `json:"round_trips"`
}

// show combines a request with its invocation; the zero Invocation stands for none.
func (l *Requests) show(r entry, i lambda.Invocation) shownRequest {
	shown := shownRequest{
		ID: r.ID, At: r.At.UTC(), Method: r.Method, Path: r.Path, Query: r.Query, Status: r.Status,
		MS: milliseconds(r.Duration), Function: r.Function, InitMS: milliseconds(i.Init), Error: i.Err,
		Reason: r.reason, Warnings: append([]string{}, r.warnings...), RoundTrips: len(l.config.Calls(r.ID)),
	}
	switch {
	case i.Cold:
		shown.Start = "cold"
	case i.Duration > 0:
		shown.Start = "warm"
	}
	return shown
}

// milliseconds rounds a duration to a tenth of a millisecond.
func milliseconds(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Millisecond)*10) / 10
}

// invocations returns the latest invocations, by the ids of their requests.
func (l *Requests) invocations() map[string]lambda.Invocation {
	byRequest := make(map[string]lambda.Invocation)
	for _, i := range l.config.Invocations() {
		byRequest[i.RequestID] = i
	}
	return byRequest
}

// serveList answers with the listed requests, or with those that match the search.
func (l *Requests) serveList(w http.ResponseWriter, r *http.Request) {
	invocations := l.invocations()
	words := strings.Fields(strings.ToLower(r.URL.Query().Get("search")))
	list := []shownRequest{}
	for _, one := range l.newest() {
		if shown := l.show(one, invocations[one.ID]); has(shown, one.exchange, words) {
			list = append(list, shown)
		}
	}
	httpserver.WriteJSON(w, list)
}

// has reports whether a request, or its exchange, contains all the words, which are in lower case.
func has(s shownRequest, x *exchange, words []string) bool {
	if len(words) == 0 {
		return true
	}
	text := fmt.Sprint(s.ID, " ", s.Method, " ", s.Path, "?", s.Query, " ", s.Status, " ", s.Function, " ", s.Error)
	if x != nil {
		text += " " + x.Body.Text + " " + x.Answer.Text
	}
	text = strings.ToLower(text)
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// shownCall is the JSON of a call, without its body, which may contain secrets.
type shownCall struct {
	Service string `json:"service"`
	Action  string `json:"action"`
}

// serveRequest answers with one request and its details.
func (l *Requests) serveRequest(w http.ResponseWriter, r *http.Request) {
	all := l.newest()
	i := slices.IndexFunc(all, func(one entry) bool { return one.ID == r.PathValue("id") })
	if i < 0 {
		httpserver.WriteError(w, http.StatusNotFound, "Not Found")
		return
	}
	type body struct {
		shownRequest
		Exchange *exchange   `json:"exchange"` // null if it is not kept any more
		Calls    []shownCall `json:"calls"`
		Lines    []string    `json:"lines"`
	}
	detail := body{
		shownRequest: l.show(all[i], l.invocations()[all[i].ID]),
		Exchange:     all[i].exchange,
		Calls:        []shownCall{},
		Lines:        l.config.Log.requests.linesOf(all[i].ID),
	}
	for _, c := range l.config.Calls(all[i].ID) {
		detail.Calls = append(detail.Calls, shownCall{c.Service, c.Action})
	}
	httpserver.WriteJSON(w, detail)
}
