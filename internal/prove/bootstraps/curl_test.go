package bootstraps

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
)

// TestCurlReadsInPublic reads with and without gzip, and again with the tags that curl has kept.
func TestCurlReadsInPublic(t *testing.T) {
	t.Parallel()
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip(err)
	}
	s := start(t)
	tenant := s.NewTenant(t)
	s.Publish(t, tenant.Portal, true)
	long := object{"name": "Long", "slug": "long", "description": strings.Repeat("What it says. ", 200)}
	to, token := fixture.To("createCategory", tenant.Portal), fixture.Token(tenant.AgentToken)
	s.Call(t, to, token, object{"category": long}).Is(t, http.StatusOK, nil)
	url := s.URL() + fixture.To("listPublicCategories", tenant.Portal).Path
	tags := filepath.Join(t.TempDir(), "tags")
	run := func(args ...string) string {
		t.Helper()
		args = append([]string{"-sS", "-w", "\n%{http_code} %header{content-encoding} %header{vary}", url}, args...)
		out, err := exec.Command(curl, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("curl %q: %v %s", args, err, out)
		}
		return string(out)
	}
	tag := func(args ...string) string {
		t.Helper()
		headers := run(append(args, "-o", "/dev/null", "-D", "-")...)
		_, after, _ := strings.Cut(strings.ToLower(headers), "etag: ")
		value, _, _ := strings.Cut(after, "\r\n")
		return value
	}
	plain, packed := run(), run("--compressed")
	expect.HasSuffix(t, plain, "\n200  accept-encoding")
	expect.HasSuffix(t, packed, "\n200 gzip accept-encoding")
	expect.Equal(t, strings.Split(plain, "\n")[0], strings.Split(packed, "\n")[0])
	// A strong tag belongs to the bytes, so each encoding has its own (RFC 9110 section 8.8.3.3).
	expect.Not(t, tag(), tag("--compressed"))
	// An entity tag is 32 hexadecimal digits in quotes.
	expect.Equal(t, len(tag()), 34)
	for _, args := range [][]string{nil, {"--compressed"}} {
		run(append(args, "--etag-save", tags)...)
		if got := run(append(args, "--etag-compare", tags)...); got != "\n304  accept-encoding" {
			t.Errorf("%q again: %.200q", args, got)
		}
	}
	// The star stands for any tag (RFC 9110 section 13.1.2).
	if got := run("-H", "If-None-Match: *"); got != "\n304  accept-encoding" {
		t.Errorf("with a star: %.200q", got)
	}
}
