package docs_test

import (
	"net/http"
	"path"
	"regexp"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestThePageOfMailsRunsItsOwnFilesOnly: the API serves every file that the page and its scripts name, by relative
// addresses. None has code within the page, loads from elsewhere, makes markup or code of text, or stores anything.
func TestThePageOfMailsRunsItsOwnFilesOnly(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		_, page := get(t, stack, "/docs/mails")
		inline := regexp.MustCompile(`<script[^>]*>[^<]|<style| on\w+=| style=|https?://`)
		if found := inline.FindString(page); found != "" {
			t.Errorf("the page has %q", found)
		}
		read := map[string]bool{}
		named := regexp.MustCompile(`(?:href|src)="([^"#]+)"`).FindAllStringSubmatch(page, -1)
		for len(named) > 0 {
			file := path.Join("/docs", named[0][1])
			named = named[1:]
			if read[file] {
				continue
			}
			read[file] = true
			r, content := get(t, stack, file)
			expect.Equal(t, r.StatusCode, http.StatusOK, file)
			if path.Ext(file) != ".js" {
				continue
			}
			unsafe := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function|` +
				`localStorage|sessionStorage|indexedDB|document\.cookie|https?://(?:[^wi]|www\.w|iana)`)
			if found := unsafe.FindString(content); found != "" {
				t.Errorf("%s has %s", file, found)
			}
			for _, imported := range importing.FindAllStringSubmatch(content, -1) {
				named = append(named, []string{"", "mails/" + imported[1]})
			}
		}
		expect.AtLeast(t, len(read), 15, "files of the page")
	})
}

// importing matches the import of another script. Its group is the name of that script.
var importing = regexp.MustCompile(`(?m)^(?:import|export)\b[^;]*"\./([^"]+)"`)

// TestHeadersOfPages: who frames a page, learns of its address or opens it from another origin gets nothing. The page
// of mails takes no markup and no code from a text, as the login page does not.
func TestHeadersOfPages(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		const own = "default-src 'none'; script-src 'self'; style-src 'self'; "
		const closed = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
		const trusted = "; require-trusted-types-for 'script'; trusted-types 'none'"
		for page, want := range map[string]struct{ policy, cache string }{
			"/docs":       {own + "img-src 'self' data:; connect-src 'self'; " + closed, "no-cache"},
			"/docs/mails": {own + "img-src 'self'; connect-src 'self'; " + closed + trusted, "no-cache"},
			"/app/login":  {"connect-src 'self'; " + closed + trusted, "no-store"},
		} {
			r, _ := get(t, stack, page)
			for name, value := range map[string]string{
				"Cross-Origin-Opener-Policy": "same-origin", "Referrer-Policy": "no-referrer",
				"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Cache-Control": want.cache,
				"Set-Cookie":                "",
				"Strict-Transport-Security": "", // the local stack serves http
			} {
				expect.Equal(t, r.Header.Get(name), value, page+": "+name)
			}
			if policy := r.Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, want.policy) {
				t.Errorf("%s: the policy is %s", page, policy)
			}
		}
	})
}
