package mail_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// TestDownloadsThatFail: the error names the reason of each failure. With ignoredlfails an attachment's failure is a
// warning, and the mail is sent without it. The only source of a text is an error in any case.
func TestDownloadsThatFail(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const closed = "http://127.0.0.1:1/"
		for name, c := range map[string]struct{ path, want string }{
			"404": {"/status/404", "could not be downloaded: the server answered 404 Not Found"},
			"500": {
				"/status/500", "could not be downloaded: the server answered 500 Internal Server Error",
			},
			// A success without content (RFC 9110 section 15.3.5). An empty file in the mail would hide that.
			"204, which has no file": {
				"/status/204", "could not be downloaded: the server answered 204 No Content",
			},
			"11 redirects": {"/redirect/11", "could not be downloaded: more than 10 redirects"},
			// Redirects are checked like the first URL. Otherwise a server could send the function to its own files.
			"a redirect to another scheme": {
				"/redirect-to?url=file:///etc/passwd",
				"could not be downloaded: redirected to a URL that must be an http or https URL",
			},
			"a redirect with credentials": {
				"/redirect-to?url=" + url.QueryEscape("http://a:b@127.0.0.1/"),
				"could not be downloaded: redirected to a URL that must not hold a user name or password",
			},
			// Content-Length is 1000, and the connection ends after 10 bytes. Half a file must not look like a whole
			// one.
			"a file shorter than it said": {
				"/bytes/10?length=1000", "could not be downloaded: the connection ended before the file did",
			},
			"an encoding that is not known": {"/brotli", `could not be downloaded: its encoding "br" is not known`},
			// 64 KiB are read at the most. Otherwise a server could fill the function's memory.
			"100 kB of headers": {
				"/many-headers", "could not be downloaded: the connection failed, or its server does not speak HTTP",
			},
			"a port where nobody listens": {closed, "connection refused"},
			// RFC 6761 section 6.4 reserves .invalid: no resolver finds it.
			"a host that does not exist": {
				"http://no-such-host.invalid/",
				`could not be downloaded: the host "no-such-host.invalid" was not found`,
			},
			"a redirect to a host that is not": {
				"/redirect-to?url=" + url.QueryEscape("http://no-such-host.invalid/"),
				`the host "no-such-host.invalid" was not found`,
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				at := c.path
				if strings.HasPrefix(at, "/") {
					at = s.files.URL + at
				}
				m := s.mail(object{"attachments": array{object{"url": at}, object{"url": s.files.URL + "/hello.txt"}}})
				r := s.send(t, m)
				r.Is(t, http.StatusOK, object{"status": "error"})
				expect.HasPrefix(t, r.Error, "attachments[0].url ")
				expect.Contains(t, r.Error, c.want)
				m["config"] = array{"ignoredlfails"}
				got, r := s.mustSend(t, m)
				expect.Len(t, r.Warning, 1)
				expect.HasPrefix(t, r.Warning[0], "attachments[0] is left out: its url ")
				expect.Contains(t, r.Warning[0], c.want)
				expect.Equal(t, got.shape, "multipart/mixed(text/plain text/plain)")
				expect.Equal(t, got.leaves[1].filename, "hello.txt")
				r = s.send(t, s.mail(object{"text": nil, "htmlurl": at, "config": array{"ignoredlfails"}}))
				expect.Equal(t, r.Outcome, "error", "as the only source")
				expect.HasPrefix(t, r.Error, "htmlurl ", "as the only source")
				expect.Contains(t, r.Error, c.want, "as the only source")
			})
		}
	})
}

// TestDownloadsThatSucceed shows which name, type and body a downloaded file gets.
func TestDownloadsThatSucceed(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for name, c := range map[string]struct {
			path string
			more object
			want leaf
		}{
			"named by the mail": {
				"/disposition", object{"filename": "mine.txt"},
				leaf{contentType: "application/pdf", filename: "mine.txt", body: "%PDF-1.7 not really"},
			},
			// filename* wins over filename (RFC 6266 section 4.3). It has the charset, and the other is for old
			// clients.
			"named by filename*": {
				"/disposition", nil,
				leaf{contentType: "application/pdf", filename: "Béricht 2026.pdf", body: "%PDF-1.7 not really"},
			},
			"named by the URL": {
				"/logo.png?size=1", nil, leaf{contentType: "image/png", filename: "logo.png", body: string(logo)},
			},
			"named by the URL's last /": {
				"/unnamed/", nil, leaf{contentType: "text/csv", filename: "unnamed.csv", body: "a,b\r\n"},
			},
			// The name comes from the URL in the mail, not from where the redirects lead: the sender knows the first
			// one.
			"10 redirects, named before": {
				"/redirect/10", nil, leaf{
					contentType: "text/plain", charset: "utf-8", filename: "10.txt", body: "arrived",
				},
			},
			"an empty file": {"/empty", nil, leaf{contentType: "text/plain", filename: "empty.txt"}},
			// S3 returns an object in the encoding in which it was stored, whatever the client accepts.
			"stored in gzip": {
				"/gzip/a.txt", nil, leaf{contentType: "text/plain", filename: "a.txt", body: "unpacked"},
			},
			// The first URL may hold a signature or a token, and the second server must not see it.
			"without telling the redirect's target where from": {
				"/redirect-to?secret=1&url=/referer", object{"filename": "a.txt"},
				leaf{contentType: "text/plain", filename: "a.txt", body: "referer: "},
			},
			"of 3 MB": {
				"/bytes/3000000", object{"filename": "a.bin"},
				leaf{contentType: "application/octet-stream", filename: "a.bin", body: bytesOf(3_000_000)},
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				m, _ := s.mustSend(t, s.mail(object{"attachments": attachment(s.files.URL+c.path, c.more)}))
				c.want.disposition = "attachment"
				expect.Len(t, m.leaves, 2)
				expect.Equal(t, m.leaves[1].filename, c.want.filename)
				expect.Equal(t, m.leaves[1].contentType, c.want.contentType)
				expect.Equal(t, m.leaves[1].disposition, "attachment")
				if body := m.leaves[1].body; body != c.want.body &&
					body != strings.ReplaceAll(c.want.body, "\r\n", "\n") {
					t.Errorf("body of %d bytes, want %d", len(body), len(c.want.body))
				}
			})
		}
	})
}

// bytesOf returns n bytes as the file server's /bytes/n sends them.
func bytesOf(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteByte(byte(i % (1 << 20) * 7))
	}
	return b.String()
}

// TestDownloadsGoSideBySideEightAtOnce: the files of one mail are downloaded in parallel, but at most eight at a
// time. They have 15 seconds together.
func TestDownloadsGoSideBySideEightAtOnce(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		var downloads atOnce
		files := localtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			downloads.meet()
			fmt.Fprint(w, "x")
		}))
		s.mustSend(t, s.mail(object{"attachments": slices.Repeat(attachment(files.URL, nil), 20)}))
		expect.Equal(t, downloads.most.Load(), 8, "downloads at once")
	})
}

// TestTooLargeIsAlwaysAnError, even with ignoredlfails. Sizes count as they arrive and after gzip is unpacked,
// whatever the server says of the length. SES takes messages of up to 40 MB, after encoding.
// TestLargeMessagesNeedLittleMemory of package bootstraps sends one that is just small enough.
func TestTooLargeIsAlwaysAnError(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for name, c := range map[string]struct {
			mail object
			want string
		}{
			"a file that says it is over 40 MiB": {
				object{"attachments": attachment(s.files.URL+"/bytes/10?length=41943041", nil)},
				"attachments[0].url is too large: all downloads and attachments of a mail together may have at most " +
					"41943040 bytes",
			},
			// Without Content-Length the download ends at the limit, and not in the function's memory.
			"a file over 40 MiB that does not say": {
				object{"attachments": attachment(s.files.URL+"/bytes/42000000", nil)},
				"attachments[0].url is too large",
			},
			"files over 40 MiB together": {
				object{"attachments": slices.Repeat(attachment(s.files.URL+"/bytes/15000000", nil), 3)},
				"].url is too large",
			},
			"HTML over 4 MiB": {
				object{"text": nil, "htmlurl": s.files.URL + "/bytes/4200000"},
				"htmlurl is too large: a text has at most 4194304 bytes, as it comes and in UTF-8",
			},
			"a text over 4 MiB that says so, and a string": {
				object{
					"text": "Hello", "texturl": s.files.URL + "/bytes/10?length=4194305", "config": "urlbeforestring",
				},
				"texturl is too large: a text has at most 4194304 bytes",
			},
			"a text over 4 MiB in UTF-8": {
				object{"text": nil, "texturl": s.files.repeated(1_500_000, "text/plain", "\x80")},
				"texturl is too large: a text has at most 4194304 bytes",
			},
			// 41 MiB of zeros are some 41 KiB in gzip. The unpacked bytes are what counts.
			"a file over 40 MiB once it is unpacked": {
				object{"attachments": attachment(s.files.URL+"/gzip-bomb", nil)},
				"attachments[0].url is too large",
			},
			// Base64 and its line ends make 78 bytes of 57: the 32 MB become 43.8 MB.
			"a message over 40 MiB once it is coded": {
				object{"attachments": attachment(s.files.URL+"/bytes/32000000", nil)},
				"the message is too large: it has 437",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				config := array{"ignoredlfails"}
				if more, ok := c.mail["config"]; ok {
					config = append(config, more)
				}
				c.mail["config"] = config
				sent := s.sentMails()
				r := s.send(t, s.mail(c.mail))
				r.Is(t, http.StatusOK, object{"status": "error"})
				expect.Contains(t, r.Error, c.want)
				if s.sentMails() != sent {
					t.Error("it was sent")
				}
			})
		}
	})
}

// TestADownloadThatNeverEnds: the service ends a download 15 seconds after the request began, or a second before the
// function's time-out if that is sooner.
func TestADownloadThatNeverEnds(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		// A dot each 50 ms until the client leaves: the connection is never idle, so only a time for the whole ends it.
		endless := localtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				fmt.Fprint(w, ".")
				w.(http.Flusher).Flush()
				time.Sleep(50 * time.Millisecond)
			}
		}))
		threeSeconds := func(o *local.Options) { o.Template = localtest.EditTemplate(t, "Timeout: 29", "Timeout: 3") }
		for name, start := range map[string]func() *stack{
			"second 15":                          func() *stack { return start(t) },
			"a second before the function's end": func() *stack { return start(t, threeSeconds) },
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start()
				r := s.send(t, s.mail(object{"attachments": attachment(endless.URL, nil)}))
				if want := "attachments[0].url could not be downloaded: it took too long"; r.Status != http.StatusOK ||
					r.Error != want {
					t.Errorf("answer %+v, want %q", r, want)
				}
				if n := s.sentMails(); n != 0 {
					t.Errorf("%d mails were sent", n)
				}
			})
		}
	})
}

// TestADownloadThatHasNoTimeIsNotTried: a slow table leaves no time for the download. The answer is 503 and does not
// blame the URL, and the same request succeeds later.
func TestADownloadThatHasNoTimeIsNotTried(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		m := s.mail(object{"attachments": attachment(s.files.URL+"/hello.txt", nil)})
		// A call to the table waits 2 seconds, then it is repeated. After seven of them less than a second is left of
		// the 15.
		s.inject(firstN(7, "BatchGetItem", awsproxy.Delay(3*time.Second)))
		r := s.sendOnce(t, "key", m)
		r.Is(t, http.StatusServiceUnavailable, nil)
		expect.Not(t, r.Header.Get("Retry-After"), "")
		expect.Equal(t, s.sentMails(), 0)
		s.inject(nil)
		s.sendOnce(t, "key", m).Is(t, http.StatusOK, object{"status": "success"})
		expect.Equal(t, s.sentMails(), 1)
	})
}

// TestAllFilesThatAreMissingAreWarnedOfInOrder: warnings are in the order of the attachments, whichever download
// ends first.
func TestAllFilesThatAreMissingAreWarnedOfInOrder(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		missing := slices.Repeat(attachment(s.files.URL+"/status/404", nil), 12)
		_, r := s.mustSend(t, s.mail(object{"config": array{"ignoredlfails"}, "attachments": missing}))
		if len(r.Warning) != 12 {
			t.Fatalf("warnings %q", r.Warning)
		}
		for i, w := range r.Warning {
			if !strings.HasPrefix(w, fmt.Sprintf("attachments[%d] is left out", i)) {
				t.Errorf("warning %d is %q", i, w)
			}
		}
	})
}
