package loginpage_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/loginpage"

	"github.com/aws/aws-lambda-go/events"
)

// hostile are e-mail addresses of forged links.
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

// TestPageIsTheSameForEveryLink shows that the page contains nothing of the link, and that no log has it.
func TestPageIsTheSameForEveryLink(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		plain := stack.Call(t, fixture.To("getLoginPage"), nil, nil).Raw
		if !strings.HasPrefix(plain, "<!doctype html>") || strings.Contains(plain, "{{") {
			t.Fatalf("page %.100q", plain)
		}
		for name, email := range hostile {
			query := url.Values{"email": {email}, "sso_auth_token": {email}}
			r := stack.Call(t, fixture.To("getLoginPage").Query("?"+query.Encode()), nil, nil)
			r.Is(t, http.StatusOK, nil)
			expect.Equal(t, r.Raw, plain, name)
		}
		for _, query := range []string{"?", "?email=a@b&email=c@d", "?%", "?email=%ff", "?x[]=1"} {
			r := stack.Call(t, fixture.To("getLoginPage").Query(query), nil, nil)
			r.Is(t, http.StatusOK, nil)
			expect.Equal(t, r.Raw, plain, query)
		}
		for _, line := range localtest.Logs(stack.Stack) {
			expect.Lacks(t, line, "hacked", "logged")
			expect.Lacks(t, line, "@", "logged")
		}
	})
}

// active finds what could run or be fetched.
var active = regexp.MustCompile(`(?i)\b(src|href|action|srcset|on[a-z]+)=|https?://|@import|url\(|innerHTML|eval\(`)

// TestPageAllowsItsOwnScriptAlone shows that the hashes in the policy are those of the page's script and style, and
// that the page contains nothing else that could run or be fetched.
func TestPageAllowsItsOwnScriptAlone(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		r := fixture.Start(t).Call(t, fixture.To("getLoginPage"), nil, nil)
		page := r.Raw
		if got := r.Header.Values("Strict-Transport-Security"); got != nil {
			t.Errorf("over HTTP it says %q", got)
		}
		for name, want := range map[string]string{
			"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin",
			"Content-Security-Policy": "default-src 'none'; script-src " + hashOf(t, page, "script") +
				"; style-src " + hashOf(t, page, "style") + "; connect-src 'self'; " +
				"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
				"require-trusted-types-for 'script'; trusted-types 'none'",
		} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if found := active.FindString(page); found != "" {
			t.Errorf("the page has %q", found)
		}
		if noscript := regexp.MustCompile(`(?s)<noscript>.*JavaScript.*</noscript>`).FindString(page); noscript == "" {
			t.Error("the page says nothing without JavaScript")
		}
	})
}

// TestPageKeepsBrowsersOnHTTPS shows that an answer over HTTPS tells the browser to use only HTTPS for a year. An
// answer over HTTP must not say so (RFC 6797 section 7.2).
func TestPageKeepsBrowsersOnHTTPS(t *testing.T) {
	t.Parallel()
	const aYear = "max-age=31536000"
	for name, c := range map[string]struct{ header, value, want string }{
		"on AWS":          {"x-forwarded-proto", "https", aYear},
		"on one machine":  {"x-forwarded-proto", "http", ""},
		"under sam local": {"X-Forwarded-Proto", "http", ""},
	} {
		t.Run(name, func(t *testing.T) {
			function := loginpage.Function()
			event, err := json.Marshal(events.APIGatewayV2HTTPRequest{Headers: map[string]string{c.header: c.value}})
			if err != nil {
				t.Fatal(err)
			}
			answer, err := function.Invoke(t.Context(), event)
			var page events.APIGatewayV2HTTPResponse
			if err := errors.Join(err, json.Unmarshal(answer, &page)); err != nil {
				t.Fatal(err)
			}
			got, ok := page.Headers["strict-transport-security"]
			expect.Equal(t, got, c.want)
			expect.Equal(t, ok, c.want != "")
			expect.Equal(t, page.StatusCode, http.StatusOK)
		})
	}
}

// hashOf returns the hash, as a policy writes it, of the only element with this name.
func hashOf(t *testing.T, page, element string) string {
	t.Helper()
	found := regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllStringSubmatch(page, -1)
	if len(found) != 1 {
		t.Fatalf("the page has %d elements %s", len(found), element)
	}
	sum := sha256.Sum256([]byte(found[0][1]))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
