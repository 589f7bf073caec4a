package mail_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/lambda"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"

	"github.com/aws/aws-lambda-go/events"
)

// memory is why these tests have processes.
const memory = "the memory is that of a process of the function alone"

// startSlow starts a stack of processes on which a mail may take as long as a slow machine needs: see [stack.invoke].
// Only downloads always have 15 seconds: so tests of large ones are not parallel.
func startSlow(t testing.TB, why string) *stack {
	t.Helper()
	return startBootstraps(t, why, func(o *local.Options) {
		o.Template = localtest.EditTemplate(t, "Timeout: 29", "Timeout: 900")
	})
}

// invoke sends a mail as API Gateway does, which would not wait for over 30 seconds.
func (s *stack) invoke(t testing.TB, mail object) answer {
	t.Helper()
	body, err := fixture.BodyText(mail)
	if err != nil {
		t.Fatal(err)
	}
	const path = "/sender.php"
	event, err := json.Marshal(events.APIGatewayV2HTTPRequest{
		RouteKey: "POST " + path, RawPath: path, Body: body,
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: http.MethodPost, Path: path},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	invocation := lambda.Event{RequestID: rand.Text(), Payload: event}
	result, _, err := s.Lambda().Invoke(t.Context(), "SendMailFunction", invocation)
	if err != nil {
		t.Fatal(err)
	}
	var r events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(result, &r); err != nil {
		t.Fatal(err)
	}
	a := answer{Answer: fixture.AnswerOf(path, r.StatusCode, nil, r.Body)}
	a.Decode(t, &a)
	return a
}

// TestSeparateMailsNeedLittleMemory: the messages share one encoded copy of the files.
func TestSeparateMailsNeedLittleMemory(t *testing.T) {
	s := startSlow(t, memory)
	if r := s.invoke(t, s.large(s.separate(readers("to", 3), nil))); r.Outcome != "success" {
		t.Fatalf("answer %+v", r)
	}
	if got := s.peak(t); got >= maxPeak {
		t.Errorf("the function had %d bytes of memory, want under %d", got, maxPeak)
	}
}

// maxPeak is the most memory in bytes that a process of the function may ever have, a fifth of what the template gives
// it. One mail of 40 MiB in several copies would be over it. The collector lets garbage grow to twice what is in use.
const maxPeak = 200_000_000

// TestLargeMessagesNeedLittleMemory, even if servers do not say how long their files are, and if a message goes to
// four groups at once. A redirect gives each group a header of its own, and must not copy the rest.
func TestLargeMessagesNeedLittleMemory(t *testing.T) {
	s := startSlow(t, memory).withRedirect(t)
	r := s.invoke(t, s.large(object{"recipients": recipients("to", 200)}))
	if r.Outcome != "success" {
		t.Fatalf("answer %+v", r)
	}
	// Just under the limit of 40 MiB.
	raw, _ := s.Outbox().Raw(r.ID)
	expect.AtLeast(t, len(raw), 41_000_000)
	expect.AtMost(t, len(raw), 40<<20)
	if got := s.peak(t); got >= maxPeak {
		t.Errorf("the function had %d bytes of memory, want under %d", got, maxPeak)
	}
	// With several processes each would have had less to do, and the figure would say little.
	if n := len(s.processes(t)); n != 1 {
		t.Errorf("%d processes have shared the mails", n)
	}
}

// TestDownloadsOfAnyShapeNeedLittleMemory: what is downloaded may grow while it is decoded, resolved and converted.
func TestDownloadsOfAnyShapeNeedLittleMemory(t *testing.T) {
	s := startSlow(t, memory)
	const most = 300_000_000 // bytes
	const text, html, calendar = "text/plain", "text/html", "text/calendar; method=REQUEST"
	page := func(n int, unit string) object {
		return object{"text": nil, "htmlurl": s.files.repeated(n, html, unit)}
	}
	plain := func(n int, unit string) object {
		return object{"text": nil, "texturl": s.files.repeated(n, text, unit)}
	}
	file := func(n int, contentType, unit string) object {
		return object{"attachments": attachment(s.files.repeated(n, contentType, unit), nil)}
	}
	for _, c := range []struct {
		name, outcome string
		mail          object
	}{
		{"HTML that is too large", "error", page(42_000_000, "\x80")},
		{"a text that is too large", "error", plain(42_000_000, "\x80")},
		{"HTML that grows in UTF-8", "success", page(1_300_000, "\x80")},
		{"HTML of one token", "success", page(3_900_000, "a")},
		{"HTML of tags", "success", page(3_900_000, "<b>")},
		{"HTML whose addresses are resolved", "success", page(600_000, "<a href=x>y</a>")},
		{"HTML whose addresses make it too large", "error", page(3_900_000, "<a href=x>")},
		{"HTML with styles whose addresses make it too large", "error", page(3_900_000, "<style>url(x)</style>")},
		{"HTML whose base leads nowhere", "success", page(3_900_000, "<base href={A}><a href=x>y</a>")},
		{"HTML that names files", "success", page(3_900_000, "<img src=cid:x>")},
		{"HTML with placeholders", "success", page(3_900_000, "{A} ")},
		{"a calendar that is too large", "success", file(28_000_000, calendar, "X-A:\x80\n")},
		{"a calendar of line ends", "success", file(3_900_000, calendar, "\n")},
		{"a calendar that grows in UTF-8", "success", file(3_900_000, calendar, "\x80")},
		{"a message", "success", file(24_000_000, "message/rfc822", "a\n")},
		{"a message of a long line", "success", file(28_000_000, "message/rfc822", "a")},
		{"a file of a text", "success", file(28_000_000, text, "\x80")},
	} {
		r := s.invoke(t, s.mail(c.mail))
		expect.Equal(t, r.Outcome, c.outcome, c.name+": "+r.Error)
		expect.AtMost(t, s.peak(t), most, c.name)
	}
}

// large is a mail of just under 40 MiB: it has a file three times, whose server does not say how long it is.
func (s *stack) large(change object) object {
	file := attachment(s.files.URL+"/bytes/10200000", nil)
	return s.mail(fixture.With(object{"attachments": slices.Repeat(file, 3)}, change))
}

// peak returns the most memory in bytes that any process of the function has had: VmHWM of proc_pid_status(5).
func (s *stack) peak(t testing.TB) int {
	t.Helper()
	most := 0
	for _, process := range s.processes(t) {
		status, err := os.ReadFile(filepath.Join(process, "status"))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(status), "\nVmHWM:")
		var kib int
		if _, err := fmt.Sscanf(rest, "%d kB", &kib); err != nil {
			t.Fatalf("VmHWM in %s: %v", status, err)
		}
		most = max(most, kib<<10)
	}
	return most
}

// processes returns the folders in /proc of the function's processes on this stack. It knows them by their environment:
// each function has its own access key, each stack its own table.
func (s *stack) processes(t testing.TB) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(process string) bool {
		environ, err := os.ReadFile(filepath.Join(process, "environ"))
		variable := func(v string) bool { return bytes.Contains(environ, []byte(v+"\x00")) }
		return err != nil || !variable("AWS_ACCESS_KEY_ID=SendMailFunction") ||
			!variable("TABLE_NAME="+s.Environ()["TABLE_NAME"])
	})
	if len(all) == 0 {
		t.Fatal("the function has no process")
	}
	return all
}
