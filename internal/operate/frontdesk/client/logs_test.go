package client

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestEachRequestIsShownOnce has a console that lists requests in the order in which they came. A slow one is listed
// when it is answered, below newer ones. One that was pushed out of the list before it is read is left out. What may be
// a secret is not shown.
func TestEachRequestIsShownOnce(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("0123456789abcdef", 4)
	lists := []string{"fast", "third fast slow", "third fast slow gone", "fourth third"}
	console := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, detail := strings.CutPrefix(r.URL.Path, "/requests/")
		switch {
		case id == "gone":
			http.NotFound(w, r)
		case detail:
			fmt.Fprintf(w, `{"id":%q,"path":%[1]q,"query":"a=b&token=fdl_1_%s","reason":"of %[2]s"}`, id, secret)
		default:
			fmt.Fprintf(w, `[{"id":"%s"}]`, strings.ReplaceAll(lists[0], " ", `"},{"id":"`))
			lists = lists[1:]
		}
	}))
	defer console.Close()
	var shown []string
	log := requestLog{client: console.Client(), console: console.URL, show: func(r loggedRequest) error {
		shown = append(shown, r.Path)
		expect.Equal(t, r.Query+" "+r.Reason, "a=b&token=… of …", "query and reason")
		return nil
	}}
	for range len(lists) {
		if err := log.since(context.Background(), -1); err != nil {
			t.Fatal(err)
		}
	}
	expect.Equal(t, strings.Join(shown, " "), "fast slow third fourth")
}
