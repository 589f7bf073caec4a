package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/fetch"
)

// ofRequests read what callers send, and what the servers of their files answer.
var ofRequests = []parser{
	{
		name: "api, a body", sizes: [2]int{1000, 4000},
		pieces: []string{
			`{…"a":1,…"b":2}`, `{"a":…[…`, `{"a":[…"b",…1]}`, `{"b":[…{"c":1},…{}]}`, `{"d":{…"e":"f",…"g":"h"}}`,
			`{"a":"…\"…"}`, `{"a":"…\u0061…"}`, `{"a":"…é…"}`, `{"a":"…YWFh…"}`, `{"a":…1…}`, "{", "}", "[", "\"", ",",
			" ",
			"\xff", "\uFEFF", "a",
		},
		read: func(text string) {
			call(map[string]any{"body": text, "headers": map[string]string{"content-encoding": "identity"}})
			call(map[string]any{"body": text, "isBase64Encoded": true})
		},
	},
	{
		name: "api, a header", sizes: [2]int{500, 2000},
		pieces: []string{
			" ", ",", ";", "=", "q=0", "gzip,", "gzip;q=1 ,", "*", "\"", "\"…a…\", ", "W/", "W/\"a\", ", "Bearer ", "a",
			"Basic ", "a: ",
		},
		read: func(text string) {
			headers := map[string]string{"X": text, strings.ToUpper(text): "x"}
			for _, name := range []string{
				"accept-encoding", "if-none-match", "authorization", "content-type", "content-encoding", "cookie",
			} {
				headers[name] = text
			}
			call(map[string]any{"headers": headers, "body": "a"})
		},
	},
	{
		name: "api, a query", sizes: [2]int{500, 2000},
		pieces: []string{"a", "a,", "1", "-", "e9", "\"", "é", "{", "eyJ", "YWFh", "=", "\\"},
		read: func(text string) {
			parameters := map[string]string{"limit": text, "cursor": text, "per_page": text, text: "a"}
			call(map[string]any{"queryStringParameters": parameters, "pathParameters": parameters, "rawPath": text})
		},
	},
	{
		name: "fetch, within what is read of a disposition", sizes: [2]int{200, 800}, pieces: piecesOfHeaders,
		read: func(text string) { download("text/html", "attachment; "+text, "a") },
	},
	{
		name: "fetch, a type", sizes: [2]int{200, 800}, pieces: piecesOfHeaders,
		read: func(text string) {
			download("text/html; "+text, "", "a")
			_ = fetch.CheckType("text/html; " + text)
		},
	},
	{
		name: "fetch, a text", sizes: [2]int{500, 2000},
		pieces: []string{
			"a", "\xff", "\x80", "é", "\x1b$B", "<meta charset=utf-7>", "<meta charset='…a…'>", "<meta ", "<!--",
			"<a …a=b …>",
			"'",
		},
		read: func(text string) {
			for _, contentType := range []string{
				"text/html", "text/html; charset=gb18030", "application/xhtml+xml",
			} {
				download(contentType, "", text)
			}
		},
	},
	{
		name: "fetch, an address", sizes: [2]int{500, 2000},
		pieces: []string{"a", "/", "%41", "%", ":", "@", "?", "#", ";", ".", "[", "é", "//", "\\"},
		read: func(text string) {
			for _, address := range []string{text, "https://e.org/" + text, "https://" + text + "/x"} {
				_ = fetch.CheckURL(address)
			}
			requested("/" + url.PathEscape(text[:min(len(text), 8000)]))
		},
	},
}

var piecesOfHeaders = []string{
	" ", ",", ";", "=", "a=b;", "a=\"", "a=\",", "filename=a ", "filename=\"…a…\";", "\"", "\\", "filename*0=a;", "''",
	"%41", "filename*=utf-8''…%41…;", "=?utf-8?b?YQ==?=", "=?x?b?", "\xff", "charset=utf-8;", "text/html", "a*0=",
}

// call calls a function that reads all parts of a request.
func call(request map[string]any) {
	event, _ := json.Marshal(request)
	_, _ = api.Function{Log: slog.New(slog.DiscardHandler), Handle: read}.Invoke(context.Background(), event)
}

func read(_ context.Context, r *api.Request) (api.Response, error) {
	body, err := r.Bytes()
	if err != nil {
		return api.Response{}, err
	}
	r.Token()
	r.TakesGzip()
	r.Has(`"x"`)
	_, _ = api.ParseLimit(r.QueryStringParameters, 1, 100)
	_, _ = api.ParseCursor(r.QueryStringParameters, func(text string) (string, bool) { return text, true })
	o, err := r.ParseObject(body)
	if err != nil {
		return api.Response{}, err
	}
	o.Show(map[string]string{"a": "b"})
	o.String("a")
	o.Strings("a")
	o.Bytes("a")
	o.StringOrNumber("a")
	o.Int("a")
	for _, b := range o.Objects("b") {
		b.Int("c")
	}
	o.StringMap("d")
	return api.Response{Body: o.Warnings(nil)}, o.Err()
}

// files is a server that answers what it is told, over the network that a program in WebAssembly has within itself.
var files = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if answer != nil {
		w.Header()["Content-Type"] = []string{answer.contentType}
		w.Header().Set("Content-Disposition", answer.disposition)
		_, _ = w.Write([]byte(answer.body))
	}
}))

var answer *struct{ contentType, disposition, body string }

// download gets a file that is served with these headers, and reads it as a text and as an attachment.
func download(contentType, disposition, body string) {
	answer = &struct{ contentType, disposition, body string }{contentType, disposition, body}
	requested("/x")
}

var downloader, _ = fetch.NewDownloader(nil, true) // no error comes of the network that there is

func requested(path string) {
	file, err := downloader.Get(context.Background(), files.URL+path, fetch.NewBudget(40<<20))
	if err != nil {
		return
	}
	_, _, _, _ = file.Text()
	name, _ := file.Describe("", "")
	file.ComesAs(name)
}
