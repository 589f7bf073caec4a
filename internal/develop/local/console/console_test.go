package console_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/develop/local/console"
	"frontdesk/internal/develop/local/ses"
	"frontdesk/internal/prove/expect"
)

// newConsole opens a console with one mail, "1", whose message is given.
func newConsole(message string) http.Handler {
	pages := console.New()
	pages.Open(console.Sources{
		Outbox:   outbox{http.NotFoundHandler(), crlf(message)},
		Requests: requests{http.NotFoundHandler()},
		Builds:   http.NotFoundHandler(),
		API:      api{http.NotFoundHandler()},
	})
	return pages
}

// outbox has one mail that can be read, and one whose message is gone.
type outbox struct {
	http.Handler
	message string
}

// Mails has every field that a search can ask for.
func (o outbox) Mails() []ses.Mail {
	return []ses.Mail{{
		ID: "1", From: "Desk <desk@example.org>", To: []string{"ada@example.org", "bob@example.org"},
		RequestID: "r1", Subject: "Two words", Status: "bounced", Tags: map[string]string{"do": "news"},
		ReceivedAt: time.Date(2026, 11, 26, 23, 15, 30, 0, time.UTC),
	}, {ID: "gone"}}
}

func (o outbox) Raw(id string) ([]byte, bool) { return []byte(o.message), id == "1" }

// requests are two requests with warnings, one of which sent the mail.
type requests struct{ http.Handler }

func (requests) Warnings() map[string][]string {
	return map[string][]string{"r1": {"the subject is empty"}, "r2": {"another's"}}
}

// api is an API without routes.
type api struct{ http.Handler }

func (api) HasRoute(_, _ string) bool { return false }

// serve sends a request to a console with one mail, "1", whose message is given.
func serve(t *testing.T, message, path string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, path, nil)
	request.Host = "localhost:3000"
	w := httptest.NewRecorder()
	newConsole(message).ServeHTTP(w, request)
	return w
}

// crlf turns line feeds into the line ends of messages (RFC 5322 section 2.3).
func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

// policy splits a Content-Security-Policy into its directives.
func policy(t *testing.T, w *httptest.ResponseRecorder) map[string]string {
	t.Helper()
	directives := map[string]string{}
	for directive := range strings.SplitSeq(w.Header().Get("Content-Security-Policy"), ";") {
		name, values, _ := strings.Cut(strings.TrimSpace(directive), " ")
		directives[name] = values
	}
	return directives
}

// TestOnlyThisMachinesOwnNamesAreServed shows which Host headers are served, against DNS rebinding.
func TestOnlyThisMachinesOwnNamesAreServed(t *testing.T) {
	pages := newConsole("")
	hosts := map[bool][]string{
		true: {
			"localhost", "localhost:3000", "LOCALHOST:3000", "127.0.0.1", "127.0.0.1:3000", "[::1]", "[::1]:3000",
		},
		false: {
			// By DNS rebinding, a page of another site has the origin of the console. Only its name gives it away.
			"", "example.com", "example.com:3000", "localhost.example.com", "127.0.0.1.example.com",
			"192.168.0.2:3000", "0.0.0.0:3000", "localhost@example.com", "[::ffff:127.0.0.1]",
		},
	}
	for _, served := range []bool{true, false} {
		for _, host := range hosts[served] {
			request := httptest.NewRequest(http.MethodGet, "/_local/", nil)
			request.Host = host
			w := httptest.NewRecorder()
			pages.ServeHTTP(w, request)
			what := fmt.Sprintf("Host %q: ", host)
			expect.Equal(t, w.Code == http.StatusOK, served, what)
			if !served {
				expect.Equal(t, w.Code, http.StatusForbidden, what)
			}
		}
	}
}

// TestEveryAnswerIsGuarded shows that errors have the protective headers too.
func TestEveryAnswerIsGuarded(t *testing.T) {
	for _, path := range []string{
		"/_local/", "/_local/assets/main.js", "/_local/outbox/1/message", "/_local/outbox/1/html",
		// The last two are errors.
		"/_local/outbox/1/parts/0", "/_local/outbox/2/message", "/_local/none",
	} {
		w := serve(t, "Content-Type: text/html\n\n<p>", path)
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		p := policy(t, w)
		expect.Equal(t, p["default-src"], "'none'", path)
		expect.Equal(t, p["base-uri"], "'none'", path)
		expect.Equal(t, p["form-action"], "'none'", path)
		// Only a mail's HTML may be framed, by the console itself.
		expect.Not(t, p["frame-ancestors"], "", path)
	}
}

// TestScreenRunsItsOwnFilesOnly follows all files of the screen. None may contain inline code, load from elsewhere, or
// make markup of text.
func TestScreenRunsItsOwnFilesOnly(t *testing.T) {
	w := serve(t, "", "/_local/")
	page := w.Body.String()
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("got %d %s", w.Code, w.Header().Get("Content-Type"))
	}
	p := policy(t, w)
	expect.Equal(t, p["script-src"], "'self'")
	expect.Equal(t, p["style-src"], "'self'")
	expect.Equal(t, p["frame-ancestors"], "'none'")
	// A policy without 'unsafe-inline' would block such code, and the page would break.
	inline := regexp.MustCompile(`(?i)<script[^>]*>[^<]|<style|\sstyle=|\son\w+=|https?://`)
	if found := inline.FindString(page); found != "" {
		t.Errorf("the page has %q", found)
	}
	types := map[string]string{".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
	files := regexp.MustCompile(`(?:href|src)="(/_local/assets/[^"]+(\.\w+))"`).FindAllStringSubmatch(page, -1)
	if len(files) < 3 {
		t.Fatalf("the page has only the files %q", files)
	}
	read := map[string]bool{}
	// The page names the first scripts, and each script those that it imports.
	for len(files) > 0 {
		path, kind := files[0][1], files[0][2]
		if files = files[1:]; read[path] {
			continue
		}
		read[path] = true
		w := serve(t, "", path)
		expect.Equal(t, w.Code, http.StatusOK, path)
		expect.HasPrefix(t, w.Header().Get("Content-Type"), types[kind], path)
		if kind != ".js" {
			continue
		}
		unsafe := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function`)
		if found := unsafe.FindString(w.Body.String()); found != "" {
			t.Errorf("%s makes markup or code of text: %s", path, found)
		}
		for _, imported := range importing.FindAllStringSubmatch(w.Body.String(), -1) {
			files = append(files, []string{"", "/_local/assets/" + imported[1], ".js"})
		}
	}
}

// importing matches the import of another script. Its group is the name of that script.
var importing = regexp.MustCompile(`(?m)^(?:import|export)\b[^;]*"\./([^"]+)"`)

// TestScriptsImportOneWay shows that no script imports itself by way of others.
func TestScriptsImportOneWay(t *testing.T) {
	own, err := filepath.Glob("assets/*.js")
	if err != nil || len(own) == 0 {
		t.Fatalf("found %d scripts: %v", len(own), err)
	}
	shared, err := filepath.Glob("../../../base/webparts/*.js")
	if err != nil || len(shared) == 0 {
		t.Fatalf("found %d shared scripts: %v", len(shared), err)
	}
	imports := map[string][]string{}
	for _, path := range slices.Concat(own, shared) {
		script, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, imported := range importing.FindAllStringSubmatch(string(script), -1) {
			imports[filepath.Base(path)] = append(imports[filepath.Base(path)], imported[1])
		}
	}
	if len(imports["main.js"]) == 0 {
		t.Fatal("main.js imports nothing")
	}
	followed := map[string]bool{}
	var follow func(chain []string)
	follow = func(chain []string) {
		script := chain[len(chain)-1]
		// The script stands in the chain twice: at i, and at the end.
		if i := slices.Index(chain, script); i < len(chain)-1 {
			t.Errorf("scripts import each other: %s", strings.Join(chain[i:], " imports "))
			return
		}
		if followed[script] {
			return
		}
		for _, imported := range imports[script] {
			follow(append(slices.Clone(chain), imported))
		}
		followed[script] = true
	}
	for script := range imports {
		follow([]string{script})
	}
}

// TestMailThatThereIsNot shows that unknown mails, and parts that a mail lacks, are 404. A page may be open on a mail
// that was deleted meanwhile.
func TestMailThatThereIsNot(t *testing.T) {
	for _, path := range []string{"/_local/outbox/2/message", "/_local/outbox/2/html", "/_local/outbox/2/parts/0",
		"/_local/outbox/1/html", "/_local/outbox/1/parts/1", "/_local/outbox/1/parts/-1", "/_local/outbox/1/parts/x"} {
		w := serve(t, "Subject: text\n\nbody\n", path)
		expect.Equal(t, w.Code, http.StatusNotFound, path)
		expect.Equal(t, w.Header().Get("Content-Type"), "application/json", path)
	}
}
