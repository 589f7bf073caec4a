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
)

func addMail(t *testing.T, o *Outbox, subject string) Mail {
	t.Helper()
	m, err := o.Add("a@example.com", []string{"b@example.com", "c@example.com"}, message(subject))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func message(subject string) []byte { return []byte("Subject: " + subject + "\r\n\r\nbody\r\n") }

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
				"id": one.ID, "from": "a@example.com", "to": []any{"b@example.com", "c@example.com"}, "subject": "one",
				"size": float64(len(message("one"))), "received_at": one.ReceivedAt.Format(time.RFC3339Nano),
				"status": "", "events": []any{},
			}; !reflect.DeepEqual(fields, want) || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("the mail is %v, want %v", fields, want)
			}

			w = serve("GET", "/_local/outbox/"+two.ID+".eml")
			if w.Body.String() != string(message("two <&>")) || w.Header().Get("Content-Type") != "message/rfc822" {
				t.Errorf("the message is %s %q", w.Header().Get("Content-Type"), w.Body)
			}
			for _, path := range []string{"/_local/outbox/none", "/_local/outbox/none.eml",
				"/_local/outbox/..%2F" + one.ID} {
				if w := serve("GET", path); w.Code != http.StatusNotFound {
					t.Errorf("%s: got %d %s", path, w.Code, w.Body)
				}
			}
			if w := serve("DELETE", "/_local/outbox"); w.Code != http.StatusMethodNotAllowed {
				t.Errorf("DELETE: got %d %s", w.Code, w.Body)
			}
		})
	}
}

func TestOutboxInAFolderSurvivesARestart(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "mails")
	before := newOutbox(t, folder)
	for i := range 3 {
		addMail(t, before, fmt.Sprint(i))
	}
	// What a stack leaves that is killed in the middle of a write.
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
	if raw, ok := after.Raw(before.Mails()[2].ID); !ok || string(raw) != string(message("0")) {
		t.Errorf("the oldest message is %q", raw)
	}
}

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
	large := make([]byte, maxMessage)
	for range maxMailBytes/maxMessage + 1 {
		if _, err := o.Add("a@example.com", nil, large); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(o.Mails()); n != maxMailBytes/maxMessage {
		t.Errorf("%d mails of 40 MB are kept, want %d", n, maxMailBytes/maxMessage)
	}
}
