package docs_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/browsertest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// allowing sets the parameter AllowedOrigins, as a deployment does.
func allowing(origins ...string) func(*local.Options) {
	return func(o *local.Options) { o.Parameters = map[string]string{"AllowedOrigins": strings.Join(origins, ",")} }
}

// TestPagesOfAllowedOriginsMayCallEveryEndpoint: the preflight allows each route's method, and every header that a
// client of the contract sends.
func TestPagesOfAllowedOriginsMayCallEveryEndpoint(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		const origin = "http://localhost:5173"
		with, without := fixture.Start(t, allowing("https://desk.example.com", origin)), fixture.Start(t)
		preflight := func(stack *fixture.Stack, path, method, origin string) *http.Response {
			t.Helper()
			request, err := http.NewRequest(http.MethodOptions, stack.URL()+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header = http.Header{"Origin": {origin}, "Access-Control-Request-Method": {method}}
			response, err := stack.Client().Do(request)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			return response
		}
		for _, route := range routes(t) {
			path := strings.NewReplacer("{account_id}", "1", "{portal_slug}", "handbook", "{category_id}", "2",
				"{category_slug}", "faq", "{user_id}", "3", "{proxy+}", "page.css").Replace(route.Path)
			localtest.Case(t, route.Key(), func(t testing.TB) {
				response := preflight(with, path, route.Method, origin)
				h := response.Header
				expect.Equal(t, response.StatusCode, http.StatusNoContent, "an allowed origin")
				expect.Equal(t, h.Get("Access-Control-Allow-Origin"),
					origin, "an allowed origin: Access-Control-Allow-Origin")
				expect.Equal(t, h.Get("Vary"), "origin", "an allowed origin: Vary")
				expect.Equal(t, h.Get("Access-Control-Max-Age"), "600", "an allowed origin: Access-Control-Max-Age")
				if !slices.Contains(strings.Split(h.Get("Access-Control-Allow-Methods"), ","), route.Method) {
					t.Errorf("the methods are %q", h.Get("Access-Control-Allow-Methods"))
				}
				headers := strings.Split(h.Get("Access-Control-Allow-Headers"), ",")
				for _, want := range []string{
					"content-type", "authorization", "api_access_token", "api-access-token", "idempotency-key",
					"if-none-match",
				} {
					if !slices.Contains(headers, want) {
						t.Errorf("the header %s is not allowed", want)
					}
				}
				other := preflight(with, path, route.Method, "https://example.com")
				expect.Equal(t, other.StatusCode, http.StatusNoContent, "another origin")
				expect.Equal(t,
					other.Header.Get("Access-Control-Allow-Origin"), "", "another origin: Access-Control-Allow-Origin")
				none := preflight(without, path, route.Method, origin)
				if strings.HasPrefix(route.Path, "/public/") { // pages of every site may read it
					expect.Equal(t, none.StatusCode, http.StatusNoContent, "without AllowedOrigins: status")
					expect.Equal(t,
						none.Header.Get("Access-Control-Allow-Origin"), "*", "without AllowedOrigins")
					expect.Equal(t,
						none.Header.Get("Access-Control-Allow-Headers"), "content-type, if-none-match",
						"without AllowedOrigins")
					expect.Contains(t,
						none.Header.Get("Access-Control-Allow-Methods"), route.Method, "without AllowedOrigins")
				} else {
					expect.Equal(t, none.StatusCode, http.StatusNotFound, "without AllowedOrigins: status")
				}
			})
		}
		if n := len(with.Lambda().Invocations()); n != 0 {
			t.Errorf("%d functions were called", n)
		}
	})
}

// TestPagesMayRevalidateWhatReadersGet: a page that knows the tag of a public list gets 304 for it. Where origins are
// set, API Gateway says which headers a page may read in place of the function.
func TestPagesMayRevalidateWhatReadersGet(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		const origin = "http://localhost:5173"
		for name, c := range map[string]struct {
			stack   *fixture.Stack
			origin  string // that the answer allows
			exposed string
		}{
			"without AllowedOrigins": {fixture.Start(t), "*", "etag, retry-after"},
			"with AllowedOrigins": {fixture.Start(t, allowing(origin)), origin,
				"etag,idempotent-replayed,retry-after"},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				tenant := c.stack.NewTenant(t)
				c.stack.Publish(t, tenant.Portal, true)
				header := http.Header{"Origin": {origin}}
				first := c.stack.Call(t, fixture.To("listPublicCategories", tenant.Portal), header, nil)
				first.Is(t, http.StatusOK, nil)
				expect.Equal(t, first.Header.Get("Access-Control-Allow-Origin"), c.origin, "allowed origin")
				expect.Equal(t, first.Header.Get("Access-Control-Expose-Headers"), c.exposed, "exposed headers")
				header.Set("If-None-Match", first.Header.Get("Etag"))
				again := c.stack.Call(t, fixture.To("listPublicCategories", tenant.Portal), header, nil)
				again.Is(t, http.StatusNotModified, nil)
				expect.Equal(t, again.Header.Get("Access-Control-Allow-Origin"), c.origin, "allowed origin of 304")
			})
		}
	})
}

// TestPageOfAnotherPortCallsTheAPIInABrowser: the page calls with a token and a body, and reads the answer and
// its headers.
func TestPageOfAnotherPortCallsTheAPIInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>a front end</title>")
	}))
	t.Cleanup(page.Close)
	for name, c := range map[string]struct {
		change func(*local.Options)
		want   string
	}{
		"an allowed origin": {allowing(page.URL), "200 1"},
		"another origin":    {allowing("http://localhost:1"), "TypeError"},
		"no origin allowed": {func(*local.Options) {}, "TypeError"},
	} {
		t.Run(name, func(t *testing.T) {
			stack := fixture.StartBootstraps(t, c.change)
			tenant := stack.NewTenant(t)
			url := stack.URL() + fixture.To("listCategories", tenant.Portal).Path
			call, err := json.Marshal([]string{url, tenant.AgentToken})
			if err != nil {
				t.Fatal(err)
			}
			p := browser.Open(t, page.URL)
			browsertest.Eval[any](p, `((([url, token]) => (async () => {
				const headers = {api_access_token: token, "content-type": "application/json"}
				const body = JSON.stringify({category: {name: "A", slug: "a", locale: "en"}})
				await fetch(url, {method: "POST", headers, body})
				const answer = await fetch(url + "?locale=en", {headers})
				return answer.status + " " + (await answer.json()).meta.categories_count
			})().catch((e) => e.name).then((text) => document.title = text))(`+string(call)+`), null)`)
			p.Await(`document.title !== "a front end"`)
			if got := browsertest.Eval[string](p, `document.title`); got != c.want {
				t.Errorf("the page got %q, want %q", got, c.want)
			}
		})
	}
}
