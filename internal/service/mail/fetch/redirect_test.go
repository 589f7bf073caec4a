package fetch

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"code.dny.dev/ssrf"
)

// TestRedirectsNeverLeadInside: a server redirects to private addresses, and none is reached. The guard allows the
// server's own address, 127.0.0.1, as if it were public.
func TestRedirectsNeverLeadInside(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	}))
	defer server.Close()
	ours := ssrf.WithAllowedV4Prefixes(netip.MustParsePrefix("127.0.0.1/32"))
	d := newDownloader(guarded(ssrf.New(ssrf.WithAnyPort(), ours)))
	for to, want := range map[string]string{
		"http://127.0.0.2/":                  "the address 127.0.0.2 is not a public one",
		"http://10.0.0.1:8080/":              "the address 10.0.0.1 is not a public one",
		"http://169.254.169.254/latest/":     "the address 169.254.169.254 is not a public one",
		"http://[::1]/":                      "the address ::1 is not a public one",
		"https://[::ffff:169.254.169.254]/":  "the address 169.254.169.254 is not a public one",
		server.URL + "?to=http://127.0.0.3/": "the address 127.0.0.3 is not a public one",
	} {
		t.Run(to, func(t *testing.T) {
			_, err := d.Get(t.Context(), server.URL+"?to="+to, NewBudget(1000))
			if err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		})
	}
}
