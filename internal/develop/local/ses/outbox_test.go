package ses

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"
)

// addMail adds a mail with two recipients, one of them a Bcc with a name that is not ASCII.
func addMail(t *testing.T, o *Outbox, subject string) Mail {
	t.Helper()
	m, err := o.Add(Mail{From: "a@example.com", To: []string{"b@example.com", "Ç <c@example.com>"},
		Bcc: []string{"Ç <c@example.com>"}, Tags: map[string]string{"campaign": "news"}, RequestID: "r"},
		message(subject))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// message returns a minimal message with a subject.
func message(subject string) []byte { return []byte("Subject: " + subject + "\r\n\r\nbody\r\n") }

// TestOutboxServesItsMails shows the list, a mail and its source, for both kinds of outbox. An id must not lead out of
// the folder.
func TestOutboxServesItsMails(t *testing.T) {
	for _, kind := range []string{"in memory", "in a folder"} {
		t.Run(kind, func(t *testing.T) {
			folder := ""
			if kind == "in a folder" {
				folder = filepath.Join(t.TempDir(), "mails")
			}
			o := newOutbox(t, folder)
			serve := func(method, path string) *httptest.ResponseRecorder {
				w := httptest.NewRecorder()
				o.ServeHTTP(w, httptest.NewRequest(method, path, nil))
				return w
			}
			if w := serve("GET", "/_local/outbox"); strings.TrimSpace(w.Body.String()) != "[]" {
				t.Errorf("an empty outbox is %s", w.Body)
			}
			one, two := addMail(t, o, "one"), addMail(t, o, "two <&>")

			var list []Mail
			w := serve("GET", "/_local/outbox")
			if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
				t.Fatal(err)
			}
			if want := []Mail{two, one}; !reflect.DeepEqual(list, want) {
				t.Errorf("the list is %+v, want the newest first: %+v", list, want)
			}

			var fields map[string]any
			w = serve("GET", "/_local/outbox/"+one.ID)
			if err := json.Unmarshal(w.Body.Bytes(), &fields); err != nil {
				t.Fatal(err)
			}
			if want := map[string]any{
				"id": one.ID, "from": "a@example.com", "subject": "one",
				"to": []any{"b@example.com", "Ç <c@example.com>"},
				"cc": []any{}, "bcc": []any{"Ç <c@example.com>"}, "tags": map[string]any{"campaign": "news"},
				"request_id": "r", "outcomes": map[string]any{},
				"size": float64(len(message("one"))), "received_at": one.ReceivedAt.Format(time.RFC3339Nano),
				"status": "", "reason": "", "events": []any{},
			}; !reflect.DeepEqual(fields, want) || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("the mail is %v, want %v", fields, want)
			}

			w = serve("GET", "/_local/outbox/"+two.ID+".eml")
			expect.Equal(t, w.Body.String(), string(message("two <&>")))
			expect.Equal(t, w.Header().Get("Content-Type"), "message/rfc822")
			// The last path would name a file above the folder, if the outbox took ids for file names without looking
			// them up.
			for _, path := range []string{"/_local/outbox/none", "/_local/outbox/none.eml",
				"/_local/outbox/..%2F" + one.ID} {
				if w := serve("GET", path); w.Code != http.StatusNotFound {
					t.Errorf("%s: got %d %s", path, w.Code, w.Body)
				}
			}
			if w := serve("PUT", "/_local/outbox"); w.Code != http.StatusMethodNotAllowed {
				t.Errorf("PUT: got %d %s", w.Code, w.Body)
			}
		})
	}
}

// TestOutboxIsNarrowedAndEmptied shows the queries that tests of other projects use. A misspelt parameter is an error:
// it must not delete everything.
func TestOutboxIsNarrowedAndEmptied(t *testing.T) {
	tests := []struct {
		name, method, path string
		status             int
		left               string // the subjects that a GET lists, or that remain after a DELETE
	}{
		{"to an address", "GET", "?to=c@example.com", 200, "two one"},
		{"to an address in capitals", "GET", "?to=C@EXAMPLE.com", 200, "two one"},
		// An address is compared as a whole: a test that waits for a mail to one user must not find another's.
		{"to a part of an address", "GET", "?to=example.com", 200, ""},
		{"to nobody", "GET", "?to=", 200, ""},
		{"a part of the subject", "GET", "?subject=on", 200, "one"},
		{"both", "GET", "?to=b@example.com&subject=two", 200, "two"},
		{"neither of both", "GET", "?to=x@example.com&subject=two", 200, ""},
		{"a parameter with a slip", "GET", "?too=b@example.com", 400, ""},
		{"delete with a slip", "DELETE", "?too=b@example.com", 400, "two one"},
		{"delete none", "DELETE", "?subject=three", 204, "two one"},
		{"delete some", "DELETE", "?subject=one", 204, "two"},
		{"delete one that there is not", "DELETE", "/none", 404, "two one"},
		// A mail and its source are deleted together, so the source alone cannot be deleted.
		{"delete the source of one", "DELETE", "/1.eml", 404, "two one"},
		{"delete one", "DELETE", "/1", 204, "two"},
		{"delete all", "DELETE", "", 204, ""},
	}
	for _, test := range tests {
		for _, folder := range []string{"", t.TempDir()} {
			t.Run(test.name, func(t *testing.T) {
				changes := 0
				o, err := OpenOutbox(folder, func() { changes++ })
				if err != nil {
					t.Fatal(err)
				}
				one := addMail(t, o, "one")
				addMail(t, o, "two")
				serve := func(method, path string) (int, string) {
					w := httptest.NewRecorder()
					o.ServeHTTP(w, httptest.NewRequest(method, "/_local/outbox"+path, nil))
					var list []Mail
					var subjects []string
					if method == "GET" && w.Code == http.StatusOK && json.Unmarshal(w.Body.Bytes(), &list) != nil {
						t.Fatalf("got %s", w.Body)
					}
					for _, m := range list {
						subjects = append(subjects, m.Subject)
					}
					return w.Code, strings.Join(subjects, " ")
				}
				// A case cannot know the id of the first mail, so its path says 1 instead.
				status, left := serve(test.method, strings.Replace(test.path, "1", one.ID, 1))
				if test.method == "DELETE" {
					_, left = serve("GET", "")
				}
				if status != test.status || left != test.left {
					t.Errorf("got %d and %q, want %d and %q", status, left, test.status, test.left)
				}
				// Adding the two mails has already reported two changes.
				if (changes > 2) != (test.method == "DELETE" && left != "two one") && test.status == 204 {
					t.Errorf("%d changes were told", changes)
				}
				if folder == "" {
					// In memory, a deleted mail must leave neither its source nor its share of the limit behind.
					expect.Equal(t, len(o.raw), len(o.Mails()))
					expect.Equal(t, o.size, len(o.mails)*len(message("one")))
					return
				}
				files, err := os.ReadDir(folder)
				if err != nil {
					t.Fatal(err)
				}
				// In the folder, a mail is two files: its fields, and its source.
				expect.Equal(t, len(files), 2*len(o.Mails()))
				again := newOutbox(t, folder)
				if fmt.Sprint(again.Mails()) != fmt.Sprint(o.Mails()) {
					t.Errorf("after a restart there are %+v", again.Mails())
				}
			})
		}
	}
}

// TestOutboxInAFolderSurvivesARestart shows that order and bytes are kept, and that a half-written file does no harm.
// The order comes from the times in the files, because file names do not sort by time within the same millisecond.
func TestOutboxInAFolderSurvivesARestart(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "mails")
	before := newOutbox(t, folder)
	for i := range 3 {
		addMail(t, before, fmt.Sprint(i))
	}
	// A stack that is killed in the middle of a write leaves this.
	if err := os.WriteFile(filepath.Join(folder, "half.eml.tmp"), []byte("Subj"), 0o644); err != nil {
		t.Fatal(err)
	}
	after := newOutbox(t, folder)
	if got, want := after.Mails(), before.Mails(); !reflect.DeepEqual(got, want) {
		t.Errorf("the mails are %+v, want %+v", got, want)
	}
	newest := addMail(t, after, "3")
	if got := after.Mails()[0]; got.ID != newest.ID {
		t.Errorf("the newest mail is %+v", got)
	}
	// The last of the list is the oldest mail, the one with the subject 0.
	raw, ok := after.Raw(before.Mails()[2].ID)
	if !ok {
		t.Fatalf("the oldest message is %q", raw)
	}
	expect.Equal(t, string(raw), string(message("0")))
}

// TestOutboxReadsMailsOfEarlierVersions shows that a mail without the newer fields is read, and has no null in its
// JSON. Programs that loop over these fields would stop at a null.
func TestOutboxReadsMailsOfEarlierVersions(t *testing.T) {
	folder := t.TempDir()
	early := `{"id":"a","from":"a@example.com","to":["b@example.com"],"subject":"x","size":1}`
	if err := os.WriteFile(filepath.Join(folder, "a.json"), []byte(early), 0o644); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	newOutbox(t, folder).ServeHTTP(w, httptest.NewRequest("GET", "/_local/outbox", nil))
	for _, want := range []string{`"cc":[]`, `"bcc":[]`, `"tags":{}`, `"outcomes":{}`, `"events":[]`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the outbox is %s, without %s", w.Body, want)
		}
	}
}

// TestOutboxInMemoryForgetsTheOldest shows both limits: the number of mails, and their bytes.
func TestOutboxInMemoryForgetsTheOldest(t *testing.T) {
	o := newOutbox(t, "")
	first := addMail(t, o, "first")
	for i := range maxMails {
		addMail(t, o, fmt.Sprint(i))
	}
	if n := len(o.Mails()); n != maxMails {
		t.Errorf("%d mails are kept, want %d", n, maxMails)
	}
	if _, ok := o.Raw(first.ID); ok {
		t.Error("the oldest mail is kept")
	}
	// All mails share one slice, so the test does not use 256 MB.
	large := make([]byte, maxMessage)
	for range maxMailBytes/maxMessage + 1 {
		if _, err := o.Add(Mail{From: "a@example.com"}, large); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(o.Mails()); n != maxMailBytes/maxMessage {
		t.Errorf("%d mails of 40 MB are kept, want %d", n, maxMailBytes/maxMessage)
	}
}
