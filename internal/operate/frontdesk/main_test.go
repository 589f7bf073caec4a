package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
)

// createdKey is what mail-key create prints: the key as list shows it, and its text.
type createdKey struct {
	mailKeyView
	Key string
}

// TestLocalNamesTheFlagThatIsWrong, or the parameter of the template.
func TestLocalNamesTheFlagThatIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ flag, value, want string }{
		// 203.0.113.0/24 is for documentation (RFC 5737), so no machine has such an address.
		"an address that is not this machine's": {"--host", "203.0.113.1", "start the gateway: "},
		"origins that the template does not take": {
			"--parameter", "AllowedOrigins=a b", "the parameter AllowedOrigins must match",
		},
		"a parameter that the template lacks": {"--parameter", "None=x", "the template has no parameter None"},
		"a parameter without a value":         {"--parameter", "AllowedOrigins", "--parameter"},
		"a webhook without its secret": {
			"--parameter", "EventWebhookUrl=http://localhost:1", "EventWebhookUrl needs EventWebhookSecret",
		},
		// EventBridge takes https alone. Plain http is for a program on this machine.
		"a webhook of plain http elsewhere": {
			"--parameter", "EventWebhookUrl=http://localhost.example.org", "the parameter EventWebhookUrl must match",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := frontdesk(t, "local", c.flag, c.value, "--port", "0", "--dir", t.TempDir(), "--no-watch")
			expect.Contains(t, fmt.Sprint(err), c.want)
		})
	}
}

// TestLocal starts the stack as make run does, twice: the second start finds the state of the first. Somebody may
// have the credentials of the first start in a terminal or a program, so they must still work.
func TestLocal(t *testing.T) {
	dir := t.TempDir()
	envFile := filepath.Join(dir, "demo.env")
	var keys []string
	for range 2 {
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		ready := newReadyWriter()
		go func() { ended <- run(ctx, []string{"local", "--port", "0", "--dir", dir, "--no-watch"}, ready) }()
		select {
		case <-ready.printed:
		case err := <-ended:
			t.Fatalf("ended with %v", err)
		}
		vars := sourced(t, envFile, "BASE_URL", "MAIL_KEY", "PLATFORM_TOKEN", "AGENT_TOKEN", "TABLE_NAME",
			"AWS_ENDPOINT_URL_DYNAMODB", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
		keys = append(keys, vars["MAIL_KEY"]+vars["PLATFORM_TOKEN"]+vars["AGENT_TOKEN"]+
			vars["AWS_ENDPOINT_URL_DYNAMODB"])
		user := func(email string) userAnswer {
			body := `{"email":"` + email + `"}`
			to := fixture.To("createUser")
			return ask(t, http.DefaultTransport, vars["BASE_URL"], vars["PLATFORM_TOKEN"], to, body)
		}
		demo := user("agent@example.com")
		if demo.Name != "Demo Agent" {
			t.Errorf("the demo user is %+v", demo)
		}
		// The docs page tries out its examples on these.
		ada := user("ada@example.org")
		if ada.Name != "Ada Lovelace" {
			t.Errorf("the user of the examples is %+v", ada)
		}
		welcome, err := contracttest.Client(t, http.DefaultTransport).Get(vars["BASE_URL"] +
			fixture.To("getPublicCategory", 1, "handbook", "welcome").Path)
		if err != nil {
			t.Fatal(err)
		}
		if welcome.Body.Close(); welcome.StatusCode != http.StatusOK {
			t.Errorf("the demo's category: %d", welcome.StatusCode)
		}
		if got := sendDemoMail(t, vars); got != len(keys) {
			t.Errorf("the outbox of start %d has %d mails", len(keys), got)
		}
		info, err := os.Stat(envFile)
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, info.Mode().Perm(), 0o600)
		stop()
		if err := <-ended; err != nil {
			t.Errorf("stopped with %v", err)
		}
		if _, err := os.Stat(envFile); !os.IsNotExist(err) {
			t.Errorf("what leads to the stack is there after its end: %v", err)
		}
	}
	if keys[0] != keys[1] {
		t.Errorf("the demo's credentials, or the services' address, changed from %q to %q", keys[0], keys[1])
	}
}

// TestLocalForAFrontEndOnAnotherPort: pages of the named origins may call the API. The console answers to the given
// names, on the given address. A name that nobody gave is refused: a page of somebody else could otherwise reach the
// console through a DNS name of its own that leads to this machine (DNS rebinding).
func TestLocalForAFrontEndOnAnotherPort(t *testing.T) {
	dir := t.TempDir()
	startLocal(t, dir, "--host", "0.0.0.0", "--allowed-host", "desk.internal", "--allowed-host", "192.168.0.2",
		"--parameter", "AllowedOrigins=http://localhost:5173,https://desk.example.com")
	vars := sourced(t, filepath.Join(dir, ".local", "demo.env"), "BASE_URL")
	expect.HasPrefix(t, vars["BASE_URL"], "http://127.0.0.1:") // of every address, its own
	for name, c := range map[string]struct {
		method, path, host, origin string
		status                     int
		allowed                    string
	}{
		"a preflight of the first origin": {
			"OPTIONS", "/sender.php", "", "http://localhost:5173", 204, "http://localhost:5173",
		},
		"a preflight of the second": {
			"OPTIONS", "/sender.php", "", "https://desk.example.com", 204, "https://desk.example.com",
		},
		"a preflight of another":    {"OPTIONS", "/sender.php", "", "https://example.com", 204, ""},
		"the console as localhost":  {"GET", "/_local/", "localhost", "", 200, ""},
		"the console by a name":     {"GET", "/_local/", "desk.internal:3000", "", 200, ""},
		"the console by an address": {"GET", "/_local/", "192.168.0.2:3000", "", 200, ""},
		"the console by another":    {"GET", "/_local/", "example.com", "", 403, ""},
		// An address cannot be rebound, so the API takes any.
		"the API by an address": {"GET", "/openapi.json", "192.168.0.3:3000", "", 200, ""},
		"the API by a name":     {"GET", "/openapi.json", "desk.internal:3000", "", 200, ""},
		"the API by another":    {"GET", "/openapi.json", "example.com", "", 403, ""},
	} {
		t.Run(name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), c.method, vars["BASE_URL"]+c.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if request.Host = c.host; c.origin != "" {
				request.Header = http.Header{"Origin": {c.origin}, "Access-Control-Request-Method": {"POST"}}
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			got := response.Header.Get("Access-Control-Allow-Origin")
			if response.StatusCode != c.status || got != c.allowed {
				t.Errorf("got %d for %q, want %d for %q", response.StatusCode, got, c.status, c.allowed)
			}
		})
	}
}

// TestLocalListensWhereItIsAsked, and nowhere else.
func TestLocalListensWhereItIsAsked(t *testing.T) {
	dir := t.TempDir()
	startLocal(t, dir, "--host", "127.0.0.2")
	vars := sourced(t, filepath.Join(dir, ".local", "demo.env"), "BASE_URL")
	expect.HasPrefix(t, vars["BASE_URL"], "http://127.0.0.2:")
}

// sourced returns the variables that a shell has after it has read the file. It fails if one is missing or empty.
func sourced(t testing.TB, file string, names ...string) map[string]string {
	t.Helper()
	vars := map[string]string{}
	for _, name := range names {
		out, err := exec.Command("sh", "-c", `set -eu; . "$0"; eval "printf %s \"\$$1\""`, file, name).CombinedOutput()
		if err != nil || len(out) == 0 {
			t.Fatalf("%s is not in the file: %v %s", name, err, out)
		}
		vars[name] = string(out)
	}
	return vars
}

// sendDemoMail sends a mail with the demo key, and counts the mails of the outbox.
func sendDemoMail(t testing.TB, vars map[string]string) int {
	t.Helper()
	body := `{"key":"` + vars["MAIL_KEY"] + `","recipients":[{"email":"a@example.org"}],"text":"x"}`
	url := vars["BASE_URL"] + fixture.To("sendMail").Path
	sent, err := contracttest.Client(t, http.DefaultTransport).Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer sent.Body.Close()
	var answer struct{ Status, Error string }
	if err := json.NewDecoder(sent.Body).Decode(&answer); err != nil || answer.Status != "success" {
		t.Fatalf("answer %+v, %v", answer, err)
	}
	list, err := http.Get(vars["BASE_URL"] + "/_local/outbox")
	if err != nil {
		t.Fatal(err)
	}
	defer list.Body.Close()
	var mails []struct{ From string }
	if err := json.NewDecoder(list.Body).Decode(&mails); err != nil || mails[0].From != "demo@example.com" {
		t.Fatalf("outbox %+v, %v", mails, err)
	}
	return len(mails)
}

// readyWriter reports when something is printed for the first time. frontdesk local has nothing on standard output
// before it is ready.
type readyWriter struct {
	printed chan struct{}
	text    bytes.Buffer
}

// newReadyWriter returns a writer that has printed nothing.
func newReadyWriter() *readyWriter { return &readyWriter{printed: make(chan struct{})} }

// Write closes printed after the first output.
func (w *readyWriter) Write(p []byte) (int, error) {
	if w.text.Len() == 0 {
		defer close(w.printed)
	}
	return w.text.Write(p)
}

// TestInterruptionHidesNothingElse: of errors that are joined, a signal explains only those that it has caused.
func TestInterruptionHidesNothingElse(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	full, cut := errors.New("the disk is full"), fmt.Errorf("read the table: %w", context.Canceled)
	both := errors.Join(cut, full)
	expect.Equal(t, interrupted(ctx, both).Error(), both.Error(), "before a signal")
	stop()
	expect.Equal(t, interrupted(ctx, cut).Error(), "interrupted", "what the signal caused")
	expect.Equal(t, interrupted(ctx, both).Error(), "interrupted\nthe disk is full")
	expect.Equal(t, interrupted(ctx, full).Error(), "the disk is full", "what it did not cause")
}

// TestLocalPostsEventsToTheWebhook: a service on the same machine gets the events of a mail with the header, as
// EventBridge would post them. The event on the page has the same fields as the one that arrives.
func TestLocalPostsEventsToTheWebhook(t *testing.T) {
	dir := t.TempDir()
	got := make(chan map[string]any, 2)
	webhook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		expect.Equal(t, r.Header.Get("x-webhook-secret"), "a=b,c")
		var event map[string]any
		if err := json.NewDecoder(r.Body).Decode(&event); err != nil {
			t.Error(err)
		}
		got <- event
	}))
	t.Cleanup(webhook.Close)
	startLocal(t, dir, "--parameter", "EventWebhookUrl="+webhook.URL, "--parameter", "EventWebhookSecret=a=b,c")
	vars := sourced(t, filepath.Join(dir, ".local", "demo.env"), "BASE_URL", "MAIL_KEY")
	url := vars["BASE_URL"] + fixture.To("sendMail").Path
	response, err := http.Post(url, "application/json", strings.NewReader(`{"key":"`+
		vars["MAIL_KEY"]+`","subject":"x","text":"x","recipients":[{"email":"bounce@simulator.amazonses.com"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var sent struct{ ID string }
	if err := json.NewDecoder(response.Body).Decode(&sent); err != nil || sent.ID == "" {
		t.Fatalf("the mail was not sent: %v", err)
	}
	byType := map[any]map[string]any{}
	for range 2 {
		event := <-got
		byType[event["detail-type"]] = event
	}
	bounce := byType["Email Bounced"]
	if bounce == nil || byType["Email Sent"] == nil {
		t.Fatalf("the webhook has got %v", byType)
	}
	mail := bounce["detail"].(map[string]any)["mail"].(map[string]any)
	expect.Equal(t, mail["messageId"].(string), sent.ID)
	page, err := os.ReadFile("../../docs/mail.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(page), "X-Webhook-Secret: ")
	_, shown, _ = strings.Cut(shown, "\n\n")
	shown, _, _ = strings.Cut(shown, "```")
	var onPage map[string]any
	if err := json.Unmarshal([]byte(shown), &onPage); err != nil {
		t.Fatalf("the event on the page: %v", err)
	}
	expect.Equal(t, fieldsOf("", onPage), fieldsOf("", bounce), "fields of the event on the page")
}

// fieldsOf returns the paths of all fields of a JSON value, sorted, each once.
func fieldsOf(path string, value any) (paths []string) {
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			paths = append(paths, fieldsOf(path+"."+name, field)...)
		}
	case []any:
		for _, item := range value {
			paths = append(paths, fieldsOf(path+"[]", item)...)
		}
	default:
		return []string{path}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
