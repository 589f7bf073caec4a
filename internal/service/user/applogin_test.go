package user_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/browsertest"
	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestLoginLinksLeadToTheAppsOwnAddress shows where links lead while an app has a login address. Other apps never
// use it.
func TestLoginLinksLeadToTheAppsOwnAddress(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		const frontend = "https://desk.example.com/app/login"
		s := start(t, func(o *local.Options) {
			o.Parameters = map[string]string{"FrontendUrl": "https://desk.example.com"}
		})
		app, other := s.newApp(t, "app"), s.newApp(t, "other")
		// Each of these characters means something in a query, and has to be escaped.
		const email = "Ada+Tag&x=1%#@example.org"
		ada := app.mustHave(t, details(email, nil))
		other.mustHave(t, details(email, nil))
		for _, address := range []string{"", "https://crm.example.org/sso", "http://127.0.0.1:8080", ""} {
			app.leadTo(t, address)
			for _, c := range []struct {
				client
				leads string
			}{{app, address}, {other, ""}} {
				want := frontend
				if c.leads != "" {
					want = c.leads
				}
				r := c.login(t, ada.ID)
				got, query, _ := strings.Cut(r.URL, "?")
				expect.Equal(t, got, want, c.app.Name+"'s link leads to")
				token := fixture.TokenOfLink(r.URL)
				expect.Equal(t, query, "email=Ada%2BTag%26x%3D1%25%23%40example.org&sso_auth_token="+token, "its query")
				s.signIn(t, object{"email": email, "sso_auth_token": token}).is(t, http.StatusOK, "")
			}
		}
	})
}

// appServer is the server of an app. It redeems the links that lead to it as this package's page advises.
type appServer struct {
	*httptest.Server
	redeemer *http.Client
	api      string // the stack's address

	mu       sync.Mutex
	users    map[string]string // names of users by the session in their cookie
	referers []string          // the Referer of every request
}

// newAppServer starts the server. It keeps the Referer of every request: that is what a browser tells other servers.
func newAppServer(t testing.TB, s *stack) *appServer {
	client := contracttest.Client(t, s.Client().Transport)
	h := &appServer{redeemer: client, api: s.URL(), users: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sso", h.redeem)
	mux.HandleFunc("GET /{$}", h.greet)
	mux.HandleFunc("GET /picture", func(http.ResponseWriter, *http.Request) {})
	h.Server = localtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.referers = append(h.referers, r.Referer())
		h.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	return h
}

// redeem exchanges the token of a link for an agent token, keeps that one on the server, and redirects the browser to
// an address without a token.
func (h *appServer) redeem(w http.ResponseWriter, r *http.Request) {
	// The address of this page has the token. A picture on it would tell it to another server.
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	query := r.URL.Query()
	body, _ := json.Marshal(object{"email": query.Get("email"), "sso_auth_token": query.Get("sso_auth_token")})
	answer, err := h.redeemer.Post(h.api+fixture.To("signIn").Path, "application/json", bytes.NewReader(body))
	if err != nil {
		http.Error(w, "try again", http.StatusServiceUnavailable)
		return
	}
	defer answer.Body.Close()
	var in struct{ Data struct{ Name string } }
	if err := json.NewDecoder(answer.Body).Decode(&in); err != nil || answer.StatusCode != http.StatusOK {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(answer.StatusCode)
		_, _ = io.WriteString(w, `<img src="/picture">The link is used up, or too old.`)
		return
	}
	session := rand.Text()
	h.mu.Lock()
	h.users[session] = in.Data.Name
	h.mu.Unlock()
	http.SetCookie(w, &http.Cookie{
		Name: "session", Value: session, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// greet is the page that a user arrives at. Its picture makes the browser send a Referer, if it would send one.
func (h *appServer) greet(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c, err := r.Cookie("session"); err == nil && h.users[c.Value] != "" {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<img src="/picture">Hello, `+h.users[c.Value])
		return
	}
	http.Error(w, "nobody is signed in", http.StatusUnauthorized)
}

// linkedAppServer starts the server of an app beside a stack, and returns functions that make a link to it, and end
// all links and tokens of their user.
func linkedAppServer(t testing.TB, s *stack) (h *appServer, link func() string, end func()) {
	t.Helper()
	h = newAppServer(t, s)
	app := s.newApp(t, "app")
	app.leadTo(t, h.URL+"/sso")
	ada := app.mustHave(t, details("ada@example.org", nil))
	link = func() string {
		r := app.login(t, ada.ID)
		expect.HasPrefix(t, r.URL, h.URL+"/sso?email=ada%40example.org&sso_auth_token=fdl_", "the link")
		return r.URL
	}
	return h, link, func() { app.endTokens(t, ada.ID).is(t, http.StatusOK, "") }
}

// TestAnAppsOwnServerRedeemsItsLinks shows that a user who follows a link is signed in at the app, once.
func TestAnAppsOwnServerRedeemsItsLinks(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		h, link, end := linkedAppServer(t, s)
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		browser := &http.Client{Jar: jar, Transport: s.Client().Transport}
		follow := func(link string) (status int, body, at string) {
			answer, err := browser.Get(link)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			text, err := io.ReadAll(answer.Body)
			if err != nil {
				t.Fatal(err)
			}
			return answer.StatusCode, string(text), answer.Request.URL.String()
		}
		used := link()
		status, body, at := follow(used)
		expect.Equal(t, status, http.StatusOK)
		expect.Contains(t, body, "Hello, Ada Lovelace")
		expect.Equal(t, at, h.URL+"/", "it arrives at")
		status, body, _ = follow(used)
		expect.Equal(t, status, http.StatusUnauthorized, "status, once more")
		expect.Contains(t, body, "used up", "body, once more")
		// A link that ends before it is used.
		unused := link()
		end()
		status, _, _ = follow(unused)
		expect.Equal(t, status, http.StatusUnauthorized, "status of a link that has ended")
	})
}

// TestAnAppsOwnServerRedeemsItsLinksInABrowser: the address where the browser arrives has no token, and no Referer
// tells one to a server.
func TestAnAppsOwnServerRedeemsItsLinksInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	h, link, _ := linkedAppServer(t, watched(t, fixture.StartBootstraps(t)))
	used := link()
	p := browser.Open(t, used)
	p.Await(`document.body.textContent.includes("Hello, Ada Lovelace")`)
	expect.Equal(t, browsertest.Eval[string](p, "location.href"), h.URL+"/", "it arrives at")
	p.Go(used)
	p.Await(`document.body.textContent.includes("used up")`)
	p.Await(`document.images[0].complete`)
	h.mu.Lock()
	defer h.mu.Unlock()
	expect.AtLeast(t, len(h.referers), 5, "requests") // two pages, a redirection, two pictures
	for _, referer := range h.referers {
		expect.Lacks(t, referer, "sso_auth_token", "a Referer")
	}
}
