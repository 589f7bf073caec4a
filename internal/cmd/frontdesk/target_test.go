package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
)

// TestNothingAnswers: at once, and in one sentence, the error names what was called, where, and what may be wrong.
// The usual reason is that make run is not up, which is what the error asks.
func TestNothingAnswers(t *testing.T) {
	t.Parallel()
	const address = "http://127.0.0.1:1" // no test listens there
	o := &shell{T: t, session: newSession(nil), file: variablesFile(t, map[string]string{
		"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_REGION": "us-east-1", "TABLE_NAME": "desk",
		"AWS_ENDPOINT_URL_DYNAMODB": address, "BASE_URL": address, "CONSOLE_URL": address + "/_local", "MAIL_KEY": "x",
	})}
	table := "table desk at " + address + ": nothing answers; is make run up?"
	api := "API at " + address + ": nothing answers; is make run up?"
	mustRefuse(o, map[string]refused{
		"the table":         {[]string{"mail-key", "list"}, table},
		"the API":           {[]string{"mail", "send", "--to", "a@example.org"}, api},
		"the mail log":      {[]string{"mail", "show", "1"}, api},
		"the log":           {[]string{"logs"}, api},
		"the log's changes": {[]string{"logs", "-f"}, api},
	})
	out, err := o.frontdesk("status")
	expect.Equal(t, "error", fmt.Sprint(err), "not every part of the stack answers")
	expect.Contains(t, "out", out, api)
	expect.Contains(t, "out", out, "table desk at "+address)
	expect.Contains(t, "out", out, "stack frontdesk at "+address)
}

// TestWhatAWSRefuses: the error is one sentence that names the table, and where it is. The SDK's own text has the
// operation, the status and the id of the request in front of the reason.
func TestWhatAWSRefuses(t *testing.T) {
	t.Parallel()
	var code atomic.Value
	database := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"__type": "com.amazonaws.dynamodb.v20120810#%s", "message": "it is so"}`, code.Load())
	}))
	defer database.Close()
	o := &shell{T: t, session: newSession(nil), file: variablesFile(t, map[string]string{
		"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1", "TABLE_NAME": "desk",
		"AWS_ENDPOINT_URL_DYNAMODB": database.URL,
	})}
	for refusal, want := range map[string]string{
		"ExpiredTokenException":     "AWS does not take your credentials (ExpiredTokenException): sign in again",
		"InvalidClientTokenId":      "AWS does not take your credentials (InvalidClientTokenId): sign in again",
		"AccessDeniedException":     "AccessDeniedException: it is so",
		"ResourceNotFoundException": "it does not exist",
	} {
		code.Store(refusal)
		if _, err := o.frontdesk("mail-key", "list"); err == nil ||
			err.Error() != "table desk at "+database.URL+": "+want {
			t.Errorf("%s: %v, want %s", refusal, err, want)
		}
	}
}

// TestLocalFindsTheStack of a folder, of a file, and of the nearest folder from the working one upwards.
func TestLocalFindsTheStack(t *testing.T) {
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	file := shellOf(t, stack).file
	project := t.TempDir()
	inside := filepath.Join(project, "internal", "deep")
	for _, dir := range []string{inside, filepath.Join(project, ".local")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	setVariables(t, filepath.Join(project, ".local", "demo.env"), variablesOf(t, file))
	for name, c := range map[string]struct{ dir, flag, fails string }{
		"by a file":               {t.TempDir(), "--local=" + file, ""},
		"by a folder":             {t.TempDir(), "--local=" + filepath.Dir(file), ""},
		"in the project's folder": {project, "--local", ""},
		"inside of the project":   {inside, "--local", ""},
		"outside of a project":    {t.TempDir(), "--local", "there is no .local/demo.env"},
		"in a folder without one": {project, "--local=internal", "there is no internal/demo.env"},
		"without the flag":        {project, "--json", "no table: give --local"},
		"over what the shell has": {project, "--local", ""},
		// A script with an unset variable gives this. It counts as no flag at all.
		"with an empty file's name": {project, "--local=", "no table: give --local"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(c.dir)
			if strings.HasPrefix(name, "over") {
				t.Setenv("TABLE_NAME", "another")
				t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:1")
			}
			out, err := frontdesk(t, c.flag, "mail-key", "list")
			if c.fails == "" && (err != nil || !strings.HasPrefix(out, "ID")) ||
				c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
				t.Errorf("%v, want %q; printed %q", err, c.fails, out)
			}
		})
	}
}

// TestEarlierNamesStay: --portal still means --slug, and --user the id of a user. Operators have them in scripts.
func TestEarlierNamesStay(t *testing.T) {
	o := onStack(t, fixture.WithoutFunctions(t))
	createHandbook(o, "en")
	putUser(o, 7)
	type result struct {
		Portal string
		User   id.ID
	}
	for _, args := range [][]string{
		{"portal", "add-member", "--account", "1", "--slug", "handbook", "7"},
		{"portal", "add-member", "--account", "1", "--portal", "handbook", "--user", "7"},
	} {
		if got := printed[result](o, args...); got != (result{"handbook", 7}) {
			t.Errorf("%q: %+v", args, got)
		}
	}
}
