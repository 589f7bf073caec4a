package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/docs/contracttest"
	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
)

// createdKey is what mail-key create prints: the key as list shows it, and its text.
type createdKey struct {
	mailKeyView
	Key string
}

// quotaView is what mail-key quota prints.
type quotaView struct {
	ID        id.ID
	Daily     int
	UsedToday int `json:"used_today"`
}

// TestOperatorsKeepMailKeys: a key sends only as its own addresses and domains, counts its quota, and ends when it is
// revoked. Without a quota nothing is counted, so the first one begins at 0 whatever was sent before it.
func TestOperatorsKeepMailKeys(t *testing.T) {
	o := onStack(t)
	created := printed[createdKey](o, "mail-key", "create", "--name", "news", "--sender", "Ada <ada@example.com>",
		"--from", "example.com", "--from", "bob@example.org")
	expect.Equal(t, "created.Name", created.Name, "news")
	expect.Equal(t, "created.Sender", created.Sender, `"Ada" <ada@example.com>`)
	expect.Equal(t, "len(created.From)", len(created.From), 2)
	expect.Equal(t, "created.RevokedAt", created.RevokedAt, nil)
	expect.HasPrefix(t, "created.Key", created.Key, "fdm_")
	send := func(sender string) (status any) {
		return o.Call(t, "POST", "/sender.php", nil, fixture.Object{
			"key": created.Key, "sender": fixture.Object{"email": sender},
			"recipients": fixture.Array{fixture.Object{"email": "a@example.org"}}, "text": "x",
		}).Body["status"]
	}
	for sender, want := range map[string]string{
		"x@example.com": "success", "bob@example.org": "success", "eve@example.org": "error",
	} {
		if got := send(sender); got != want {
			t.Errorf("sending as %s: %s, want %s", sender, got, want)
		}
	}
	keys := printed[[]mailKeyView](o, "mail-key", "list")
	expect.Len(t, "keys", keys, 1)
	expect.Equal(t, "keys[0].ID", keys[0].ID, created.ID)
	expect.Equal(t, "keys[0].RevokedAt", keys[0].RevokedAt, nil)
	keyID := created.ID.String()
	limited := printed[quotaView](o, "mail-key", "quota", keyID, "--daily", "1")
	if limited != (quotaView{created.ID, 1, 0}) {
		t.Errorf("limited %+v", limited)
	}
	for _, want := range []string{"success", "error"} {
		if got := send("x@example.com"); got != want {
			t.Errorf("sending with a quota of 1: %s, want %s", got, want)
		}
	}
	if used := printed[quotaView](o, "mail-key", "quota", keyID); used != (quotaView{created.ID, 1, 1}) {
		t.Errorf("used %+v", used)
	}
	free := printed[quotaView](o, "mail-key", "quota", keyID, "--daily", "0")
	expect.Equal(t, "without a quota again: free.Daily", free.Daily, 0)
	expect.Equal(t, `without a quota again: send("x@example.com")`, send("x@example.com"), "success")
	other := printed[createdKey](o, "mail-key", "create", "--name", "few", "--from", "example.com", "--daily", "3")
	if other.Daily != 3 {
		t.Errorf("created %+v", other)
	}
	if revoked := printed[mailKeyView](o, "mail-key", "revoke", "--yes", keyID); revoked.RevokedAt == nil {
		t.Errorf("revoked %+v", revoked)
	}
	if got := send("x@example.com"); got != "error" {
		t.Errorf("sending with a revoked key: %s", got)
	}
	out := o.prints("mail-key", "list")
	expect.Equal(t, `strings.Count(out, "\n")`, strings.Count(out, "\n"), 3)
	expect.Contains(t, "out", out, keyID)
	expect.Lacks(t, "out", out, created.Key)
}

// TestAKeyForTests redirects its mails. The list of keys says so, and so do the commands that send and show a mail.
// Domains are compared without regard to case, so they are kept in lower case.
func TestAKeyForTests(t *testing.T) {
	o := onStack(t)
	created := printed[createdKey](o, "mail-key", "create", "--name", "tests", "--sender", "ada@example.com",
		"--redirect", "success@Simulator.amazonses.com",
		"--redirect-allow", "Example.ORG", "--redirect-allow", "b.example")
	expect.Equal(t, "created.Redirect", created.Redirect, "success@simulator.amazonses.com")
	expect.Equal(t, "created.RedirectAllow", created.RedirectAllow, []string{"example.org", "b.example"})
	keys := printed[[]mailKeyView](o, "mail-key", "list")
	expect.Equal(t, "keys[0].Redirect", keys[0].Redirect, created.Redirect)
	expect.Equal(t, "keys[0].RedirectAllow", keys[0].RedirectAllow, created.RedirectAllow)
	expect.Contains(t, "list", o.prints("mail-key", "list"),
		"success@simulator.amazonses.com, but not for example.org b.example")
	keyFile := write(t, created.Key)
	said, _ := o.terminal("mail", "send", "--key-file", keyFile, "--to", "customer@example.net", "--subject", "Hi",
		"--text", "x")
	id, noted := strings.CutPrefix(said, "redirected to success@simulator.amazonses.com\n")
	expect.Equal(t, "it is noted", noted, true)
	if err := o.Lambda().Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	shown := o.prints("mail", "show", "--key-file", keyFile, strings.TrimSpace(id))
	expect.Contains(t, "shown", shown, "[customer@example.net] Hi")
	expect.Contains(t, "shown", shown, "to these in place of its recipients")
	expect.Contains(t, "shown", shown, "delivered")
}

// TestAnEmptyListIsAnEmptyArray, not null: a script can loop over it.
func TestAnEmptyListIsAnEmptyArray(t *testing.T) {
	o := onStack(t)
	expect.Equal(t, "printed", o.prints("--json", "mail-key", "list"), "[]\n")
}

// TestATableIsCreatedOnce: the second creation is no error, and says that the table exists. So a script that sets up
// a machine may run again.
func TestATableIsCreatedOnce(t *testing.T) {
	o := onStack(t)
	name := o.Environ()["TABLE_NAME"] + "-new"
	type result struct {
		Table   string
		Created bool
	}
	for _, want := range []bool{true, false} {
		got := printed[result](o, "--table-name", name, "table", "create")
		expect.Equal(t, "got.Created", got.Created, want)
		expect.Equal(t, "got.Table", got.Table, name)
	}
	expect.Equal(t, "printed", o.prints("--table-name", name, "table", "create"), "table "+name+" exists\n")
}

// TestCommandLinesThatFail: each error names the flag or the value that is wrong.
func TestCommandLinesThatFail(t *testing.T) {
	o := onStack(t)
	endpoint := o.Environ()["AWS_ENDPOINT_URL_DYNAMODB"]
	mustRefuse(o, map[string]refused{
		"an unknown command":    {[]string{"mail-keys"}, "mail-keys"},
		"an unknown flag":       {[]string{"mail-key", "list", "--all"}, "unknown flag --all"},
		"create without a name": {[]string{"mail-key", "create"}, "--name"},
		"a quota below zero": {
			[]string{"mail-key", "create", "--name", "x", "--from", "example.com", "--daily=-1"},
			"must not be negative",
		},
		// 203.0.113.0/24 is for documentation (RFC 5737), so no machine has such an address.
		"an address that is not this machine's": {
			[]string{"local", "--host", "203.0.113.1", "--port", "0", "--dir", t.TempDir(), "--no-watch"},
			"start the gateway: ",
		},
		"origins that the template does not take": {
			[]string{"local", "--allowed-origin", "a b", "--port", "0", "--dir", t.TempDir(), "--no-watch"},
			"the parameter AllowedOrigins must match",
		},
		"a quota of nobody":        {[]string{"mail-key", "quota", "1", "--daily", "1"}, "there is no mail key 1"},
		"a quota of no id":         {[]string{"mail-key", "quota", "x", "--daily", "1"}, "is not an id"},
		"create with a bad sender": {[]string{"mail-key", "create", "--name", "x", "--sender", "nobody"}, "--sender: "},
		"create without sender": {
			[]string{"mail-key", "create", "--name", "x"}, "needs a sender, or addresses or domains",
		},
		// A script with an unset variable writes this. A key without a redirect would send to everybody.
		"a redirect that is empty": {
			[]string{"mail-key", "create", "--name", "x", "--from", "example.com", "--redirect", ""},
			"--redirect has no address",
		},
		"a redirect that is no address": {
			[]string{"mail-key", "create", "--name", "x", "--from", "example.com", "--redirect", "tester"},
			`redirect "tester" is not a valid e-mail address`,
		},
		"domains to let through without a redirect": {
			[]string{"mail-key", "create", "--name", "x", "--from", "example.com", "--redirect-allow", "example.org"},
			"redirect is missing",
		},
		// Whole domains are let through, and no single addresses.
		"an address to let through": {
			[]string{
				"mail-key", "create", "--name", "x", "--from", "example.com", "--redirect", "tester@example.net",
				"--redirect-allow", "ada@example.org",
			},
			`redirect lets "ada@example.org" through, which is not a domain`,
		},
		"revoke without id":       {[]string{"mail-key", "revoke", "--yes"}, "<id>"},
		"revoke of no id":         {[]string{"mail-key", "revoke", "--yes", "abc"}, `"abc" is not an id`},
		"revoke of an unknown id": {[]string{"mail-key", "revoke", "--yes", "1"}, "there is no mail key 1"},
		"a table that is not": {
			args: []string{"--table-name", "no-such-table", "mail-key", "list"},
			want: "table no-such-table at " + endpoint + ": it does not exist",
		},
	})
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
		case <-time.After(2 * time.Minute):
			t.Fatal("not ready after two minutes")
		}
		vars := sourced(t, envFile, "BASE_URL", "MAIL_KEY", "PLATFORM_TOKEN", "AGENT_TOKEN", "TABLE_NAME",
			"AWS_ENDPOINT_URL_DYNAMODB", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
		keys = append(keys, vars["MAIL_KEY"]+vars["PLATFORM_TOKEN"]+vars["AGENT_TOKEN"]+
			vars["AWS_ENDPOINT_URL_DYNAMODB"])
		demo := ask(t, vars["BASE_URL"], vars["PLATFORM_TOKEN"], "POST", "", `{"email":"agent@example.com"}`)
		if demo.Name != "Demo Agent" {
			t.Errorf("the demo user is %+v", demo)
		}
		// The docs page tries out its examples on these.
		ada := ask(t, vars["BASE_URL"], vars["PLATFORM_TOKEN"], "POST", "", `{"email":"ada@example.org"}`)
		if ada.Name != "Ada Lovelace" {
			t.Errorf("the user of the examples is %+v", ada)
		}
		welcome, err := contracttest.Client(t).Get(vars["BASE_URL"] +
			"/public/api/v1/accounts/1/portals/handbook/categories/welcome")
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
		expect.Equal(t, "info.Mode().Perm()", info.Mode().Perm(), 0o600)
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
		"--allowed-origin", "http://localhost:5173", "--allowed-origin", "https://desk.example.com")
	vars := sourced(t, filepath.Join(dir, ".local", "demo.env"), "BASE_URL")
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

// TestLocalListensWhereItIsAsked: on the loopback address, unless --host says otherwise.
func TestLocalListensWhereItIsAsked(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"the loopback by default":   {nil, "http://127.0.0.1:"},
		"another of its addresses":  {[]string{"--host", "127.0.0.2"}, "http://127.0.0.2:"},
		"every address, by its own": {[]string{"--host", "0.0.0.0"}, "http://127.0.0.1:"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			startLocal(t, dir, c.args...)
			vars := sourced(t, filepath.Join(dir, ".local", "demo.env"), "BASE_URL")
			if got := vars["BASE_URL"]; !strings.HasPrefix(got, c.want) {
				t.Errorf("it is at %s, want %s", got, c.want)
			}
		})
	}
}

// sourced returns the variables that a shell has after it has read the file. It fails if one is missing or empty.
func sourced(t *testing.T, file string, names ...string) map[string]string {
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
func sendDemoMail(t *testing.T, vars map[string]string) int {
	t.Helper()
	body := `{"key":"` + vars["MAIL_KEY"] + `","recipients":[{"email":"a@example.org"}],"text":"x"}`
	sender := vars["BASE_URL"] + "/sender.php"
	sent, err := contracttest.Client(t).Post(sender, "application/json", strings.NewReader(body))
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
	expect.Equal(t, "before a signal", interrupted(ctx, both).Error(), both.Error())
	stop()
	expect.Equal(t, "what the signal caused", interrupted(ctx, cut).Error(), "interrupted")
	expect.Equal(t, "both", interrupted(ctx, both).Error(), "interrupted\nthe disk is full")
	expect.Equal(t, "what it did not cause", interrupted(ctx, full).Error(), "the disk is full")
}
