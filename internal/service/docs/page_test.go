package docs_test

import (
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/docs"
)

// get requests a path with some headers. It always sends an accept-encoding: otherwise Go's client would add one,
// unpack the answer, and hide its encoding.
func get(t testing.TB, stack *fixture.Stack, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, stack.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "identity")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	client := contracttest.Client(t, stack.Client().Transport)
	if request.Header.Get("Accept-Encoding") != "identity" {
		client = stack.Client() // the contract describes the unpacked answer
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

// TestFiles: a client gets each file plain or gzipped, and gets 304 if it has the file already.
func TestFiles(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		for path, want := range map[string]struct {
			kind  string
			begin string
			size  int // at least, in bytes
		}{
			"/openapi.json":              {"application/json; charset=utf-8", "{\n  \"openapi\": \"3.0.3\"", 50_000},
			"/openapi-3.0.json":          {"application/json; charset=utf-8", "{\n  \"openapi\": \"3.0.3\"", 50_000},
			"/docs":                      {"text/html; charset=utf-8", "<!doctype html>", 500},
			"/docs/page.css":             {"text/css; charset=utf-8", "/* ", 5_000},
			"/docs/page.js":              {"text/javascript; charset=utf-8", `"use strict"`, 500},
			"/docs/languages.js":         {"text/javascript; charset=utf-8", `"use strict"`, 500},
			"/docs/icon.svg":             {"image/svg+xml", "<svg", 100},
			"/docs/swagger-ui.css":       {"text/css; charset=utf-8", ".swagger-ui", 100_000},
			"/docs/swagger-ui-bundle.js": {"text/javascript; charset=utf-8", "/*!", 1_000_000},
			"/docs/mails":                {"text/html; charset=utf-8", "<!doctype html>", 500},
			"/docs/mails/page.css":       {"text/css; charset=utf-8", "/* ", 500},
			"/docs/mails/base.css":       {"text/css; charset=utf-8", "/* ", 500},
			"/docs/mails/main.js":        {"text/javascript; charset=utf-8", "// ", 500},
			"/docs/mails/parts.js":       {"text/javascript; charset=utf-8", "// ", 500},
		} {
			localtest.Case(t, path, func(t testing.TB) {
				r, body := get(t, stack, path)
				expect.Equal(t, r.StatusCode, http.StatusOK)
				expect.HasPrefix(t, body, want.begin)
				expect.AtLeast(t, len(body), want.size)
				tag := r.Header.Get("Etag")
				for name, value := range map[string]string{
					"Content-Type": want.kind, "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff",
					"Vary": "accept-encoding", "Content-Encoding": "",
				} {
					if got := r.Header.Get(name); got != value {
						t.Errorf("%s is %q, want %q", name, got, value)
					}
				}

				r, packed := get(t, stack, path, "Accept-Encoding", "br, gzip")
				if len(body) > 1<<10 {
					expect.Equal(t, r.Header.Get("Content-Encoding"), "gzip")
					expect.Not(t, r.Header.Get("Etag"), tag) // a strong tag is one of bytes
					expect.HasPrefix(t, packed, "\x1f\x8b")
					expect.AtMost(t, len(packed), len(body))
				} else { // it fits into one packet anyway
					expect.Equal(t, r.Header.Get("Content-Encoding"), "")
					expect.Equal(t, packed, body)
				}

				r, nothing := get(t, stack, path, "If-None-Match", `"other", W/`+tag)
				expect.Equal(t, r.StatusCode, http.StatusNotModified, "to a client that has it")
				expect.Equal(t, nothing, "", "to a client that has it")
				expect.Equal(t, r.Header.Get("Etag"), tag, "to a client that has it: Etag")
				r, all := get(t, stack, path, "If-None-Match", `W/"0123456789abcdef"`)
				expect.Equal(t, r.StatusCode, http.StatusOK, "to a client that has another")
				expect.Equal(t, all, body, "to a client that has another")
			})
		}
		for _, path := range []string{"/openapi.json", "/openapi-3.0.json"} {
			if _, body := get(t, stack, path); body != string(docs.Contract) {
				t.Errorf("%s is not the contract", path)
			}
		}
		for _, path := range []string{
			"/docs/missing", "/docs/swagger-ui.js", "/docs/swagger-ui.css.gz", "/docs/../openapi.json",
			"/docs/page.css/x", "/docs/%2e%2e/page.go", "/docs/", "/docs/main.js", "/docs/mails/",
			"/docs/mails/page.js", "/docs/mails/page.html", "/docs/mails/webparts.go",
		} {
			if r, body := get(t, stack, path); r.StatusCode != http.StatusNotFound {
				t.Errorf("%s: %d %.100s", path, r.StatusCode, body)
			}
		}
	})
}

// TestEncodings: each case is an Accept-Encoding, and whether the answer is gzipped (RFC 9110 section 12.5.3).
func TestEncodings(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		for accept, want := range map[string]bool{
			"gzip": true, "GZIP": true, "deflate, gzip;q=0.5, br": true, "gzip; q=1.0": true,
			"identity": false, "br": false, "gzip;q=0": false, "gzip; q=0.000": false, "x-gzipped": false,
		} {
			r, _ := get(t, stack, "/docs", "Accept-Encoding", accept)
			if got := r.Header.Get("Content-Encoding") == "gzip"; got != want {
				t.Errorf("%q: gzip is %t", accept, got)
			}
		}
	})
}

// TestPageIsComplete: the API serves every file that the page names, by relative addresses, and the policy allows
// nothing else.
func TestPageIsComplete(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		r, page := get(t, stack, "/docs")
		const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
			"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
		for name, want := range map[string]string{"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s is %q", name, got)
			}
		}
		named := map[string]bool{}
		for _, m := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			named[m[1]] = true
			if m[1] == "_local/" {
				continue // the console of a stack on this machine, to which no other page leads
			}
			r, _ := get(t, stack, "/"+m[1])
			expect.Equal(t, r.StatusCode, http.StatusOK, m[1])
			expect.Equal(t, strings.HasPrefix(m[1], "/"), false, m[1])
		}
		want := []string{
			"_local/", "docs", "docs/icon.svg", "docs/languages.js", "docs/mails", "docs/mails/colors.css",
			"docs/page.css", "docs/page.js", "docs/swagger-ui-bundle.js", "docs/swagger-ui.css", "openapi.json",
		}
		if got := slices.Sorted(maps.Keys(named)); !slices.Equal(got, want) {
			t.Errorf("it names %q", got)
		}
		if regexp.MustCompile(`<script[^>]*>[^<]|<style| on\w+=| style=`).MatchString(page) {
			t.Error("it has a script or a style of its own, which the policy forbids")
		}
	})
}
