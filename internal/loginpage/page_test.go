package loginpage_test

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"frontdesk/internal/docs/contracttest"
	"frontdesk/internal/local/localtest"
)

// hostile are e-mail addresses of links that somebody has made up.
var hostile = map[string]string{
	"an image":         `"><img/src=x/onerror=hacked=1>@example.org`,
	"a script":         `<script>hacked=1</script>@example.org`,
	"an end of script": `</script><script>hacked=1</script>@example.org`,
	"an attribute":     `x"onfocus="hacked=1"autofocus="@example.org`,
	"an expression":    `'-(hacked=1)-'@example.org`,
	"a template":       "${hacked=1}{{hacked=1}}`@example.org",
	"an address":       `javascript:hacked=1@example.org`,
	"an entity":        `&lt;script&gt;hacked=1@example.org`,
	"right to left":    "\u202egro.elpmaxe@ada",
}

func get(t *testing.T, address string) (*http.Response, string) {
	t.Helper()
	response, err := contracttest.Client(t).Get(address)
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

// TestPageIsTheSameForEveryLink: nothing of a link is in it.
func TestPageIsTheSameForEveryLink(t *testing.T) {
	t.Parallel()
	stack := localtest.Start(t)
	_, plain := get(t, stack.URL()+"/app/login")
	if !strings.HasPrefix(plain, "<!doctype html>") || strings.Contains(plain, "{{") {
		t.Fatalf("page %.100q", plain)
	}
	for name, email := range hostile {
		query := url.Values{"email": {email}, "sso_auth_token": {email}}
		if r, page := get(t, stack.URL()+"/app/login?"+query.Encode()); r.StatusCode != http.StatusOK || page != plain {
			t.Errorf("%s: %d, another page", name, r.StatusCode)
		}
	}
	for _, query := range []string{"?", "?email=a@b&email=c@d", "?%", "?email=%ff", "?x[]=1"} {
		if r, page := get(t, stack.URL()+"/app/login"+query); r.StatusCode != http.StatusOK || page != plain {
			t.Errorf("%s: %d, another page", query, r.StatusCode)
		}
	}
	for _, line := range localtest.Logs(stack) {
		if strings.Contains(line, "hacked") || strings.Contains(line, "@") {
			t.Errorf("logged: %s", line)
		}
	}
}

// TestPageAllowsItsOwnScriptAlone: the hashes of the policy are those of what the page holds, and it holds
// nothing else that could run or be fetched.
func TestPageAllowsItsOwnScriptAlone(t *testing.T) {
	t.Parallel()
	stack := localtest.Start(t)
	r, page := get(t, stack.URL()+"/app/login")
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
		"X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin",
		"Content-Security-Policy": "default-src 'none'; script-src " + hashOf(t, page, "script") + "; style-src " + hashOf(t, page, "style") + "; connect-src 'self'; " +
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if found := regexp.MustCompile(`(?i)\b(src|href|action|srcset|on[a-z]+)=|https?://|@import|url\(|innerHTML|eval\(`).FindString(page); found != "" {
		t.Errorf("the page has %q", found)
	}
	if noscript := regexp.MustCompile(`(?s)<noscript>.*JavaScript.*</noscript>`).FindString(page); noscript == "" {
		t.Error("who has no JavaScript is told nothing")
	}
}

// hashOf is what a policy has of the one element of that name.
func hashOf(t *testing.T, page, element string) string {
	t.Helper()
	found := regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllStringSubmatch(page, -1)
	if len(found) != 1 {
		t.Fatalf("the page has %d elements %s", len(found), element)
	}
	sum := sha256.Sum256([]byte(found[0][1]))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
