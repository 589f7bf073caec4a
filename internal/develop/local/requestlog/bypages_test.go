package requestlog

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"frontdesk/internal/develop/local/gateway"
)

// TestPagesPushNoRequestOut shows which requests count as those of the stack's own pages. Of these only 50 are
// shown, so that a page that loads itself again and again does not push out what a developer sent. Fetch metadata
// tells them apart.
// https://www.w3.org/TR/fetch-metadata/
func TestPagesPushNoRequestOut(t *testing.T) {
	for name, test := range map[string]struct {
		method, path, site, dest string
		byPage                   bool
	}{
		"an icon":             {"GET", "/favicon.ico", "same-origin", "image", true},
		"the contract":        {"GET", "/openapi.json", "same-origin", "empty", true},
		"a program":           {method: "GET", path: "/openapi.json"},
		"the address bar":     {"GET", "/openapi.json", "none", "document", false},
		"a link":              {"GET", "/docs", "same-origin", "document", false},
		"a call on demand":    {"GET", "/mails", "same-origin", "empty", false},
		"another page's call": {"GET", "/openapi.json", "cross-site", "empty", false},
		"a mail":              {"POST", "/sender.php", "same-origin", "empty", false},
	} {
		t.Run(name, func(t *testing.T) {
			log, at := New(Config{Changed: func() {}}), time.Now()
			add := func(id string, r gateway.Request) {
				at = at.Add(time.Millisecond)
				r.ID, r.At = id, at
				log.Add(r)
			}
			// One request of a developer comes first, then as many of the case as the log keeps.
			add("first", gateway.Request{Method: http.MethodPost})
			header := http.Header{"Sec-Fetch-Site": {test.site}, "Sec-Fetch-Dest": {test.dest}}
			for i := range maxRequests {
				add(fmt.Sprint(i), gateway.Request{Method: test.method, Path: test.path, Header: header})
			}
			all := log.Newest()
			want := maxRequests
			if test.byPage {
				want = maxByPages + 1
			}
			last := fmt.Sprint(maxRequests - 1)
			if len(all) != want || all[0].ID != last || (all[want-1].ID == "first") != test.byPage {
				t.Errorf("%d are kept, from %s to %s; want %d", len(all), all[0].ID, all[len(all)-1].ID, want)
			}
		})
	}
}
