package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/terminaltest"

	"github.com/rivo/uniseg"
)

// atTerminal returns what a command prints at a terminal of this width. The terminal makes CR LF of each line feed,
// which atTerminal takes back.
func (o *shell) atTerminal(columns uint16, args ...string) string {
	o.Helper()
	program, person := terminaltest.Open(o.TB)
	terminaltest.Resize(o.TB, person, columns)
	shown := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(person) // it ends with an error when the program has closed its side
		shown <- string(text)
	}()
	s := o.session
	s.Out, s.Err = program, program
	if err := s.run(o.Context(), append([]string{"--local=" + o.file}, args...)); err != nil {
		o.Errorf("%q: %v", args, err)
	}
	program.Close()
	return strings.ReplaceAll(<-shown, "\r\n", "\n")
}

// colour matches a control sequence that changes the colour.
var colour = regexp.MustCompile(`\x1b\[([0-9;]*)m`)

// mailTo is a mail with a warning. The warning is of a placeholder that was not given, and the address x is refused.
func mailTo(key, address string) fixture.Object {
	return fixture.Object{
		"key": key, "recipients": fixture.Array{fixture.Object{"email": address}}, "subject": "x", "html": "<p>{A}",
	}
}

// TestRequestsAreReadAtATerminal: each request has one line. At a narrow terminal the line goes on below, beside
// the time.
func TestRequestsAreReadAtATerminal(t *testing.T) {
	t.Parallel()
	o := onProcesses(t).withKey()
	key := variablesOf(t, o.file)["MAIL_KEY"]
	o.Call(t, fixture.To("getContract").Query("?lang=en"), nil, nil)
	o.Call(t, fixture.To("sendMail"), nil, mailTo(key, "x"))
	o.Call(t, fixture.To("sendMail"), nil, mailTo(key, "a@example.org"))
	o.Call(t, fixture.At("GET", "/nowhere"), nil, nil)
	if err := o.Lambda().Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	caller := "key " + printed[[]mailKeyView](o, "mail-key", "list")[0].ID.String()
	const green, yellow = "<0;32>", "<0;33>"
	wide := o.atTerminal(300, "logs", "--last", "4")
	shown := colour.ReplaceAllString(wide, "<$1>")
	for varying, same := range map[string]string{
		`\d\d:\d\d:\d\d`: "TIME", ` +\d+\.\d ms`: " MS", ` +/`: " /",
	} {
		shown = regexp.MustCompile(varying).ReplaceAllString(shown, same)
	}
	expect.Equal(t, strings.Split(shown, "\n"), []string{
		"<0;2>TIME " + green + "200 <0;>GET /openapi.json?lang=en MS",
		"<0;2>TIME " + yellow + "200 <0;>POST /sender.php MS <0;2>" + caller + " " + yellow +
			`invalid_recipient: recipients[0].email "x" is not a valid e-mail address: it has no @<0>`,
		"<0;2>TIME " + green + "200 <0;>POST /sender.php MS <0;2>" + caller + " " + yellow +
			`warning: html still has placeholders that were not given: {A}<0>`,
		"<0;2>TIME " + yellow + "404 <0;>GET /nowhere MS " + yellow + "Not Found<0>",
		"",
	}, "lines")

	narrow := colour.ReplaceAllString(o.atTerminal(50, "logs", "--last", "4"), "")
	for line := range strings.Lines(narrow) {
		expect.AtMost(t, len(strings.TrimSuffix(line, "\n")), 50, "columns of "+line)
		if !regexp.MustCompile(`^(\d\d:\d\d:\d\d| {8}) \S`).MatchString(line) {
			t.Errorf("%q begins neither with a time nor below one", line)
		}
	}
	expect.Equal(t, strings.Fields(narrow),
		strings.Fields(colour.ReplaceAllString(wide, "")), "the words where it is narrow")

	asJSON := o.atTerminal(50, "--json", "logs", "--last", "1")
	expect.HasPrefix(t, asJSON, `{"id":`)
}

// TestACrashIsReadAtATerminal: the error and what the function printed stand with its request, and a terminal obeys
// none of it. A server of the test's own stands in for the console, because a real function does not crash in the
// same words each time.
func TestACrashIsReadAtATerminal(t *testing.T) {
	t.Parallel()
	console := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one := fixture.Object{
			"id": "r1", "at": "2026-11-26T10:00:00Z", "method": "PUT", "path": "/x", "status": 500, "ms": 3.25,
			"error": "Runtime exited", "lines": fixture.Array{
				"goroutine 1 \x1b[2J[running]:", "\tmain.go:7",
				`{"msg":"request","error":"nil \u001b]0;map","stack":"a()\n\tb.go:1\n","app":7,"user":8}`,
			},
		}
		if strings.HasSuffix(r.URL.Path, "/requests") {
			json.NewEncoder(w).Encode(fixture.Array{one})
			return
		}
		json.NewEncoder(w).Encode(one)
	}))
	t.Cleanup(console.Close)
	file := variablesFile(t, map[string]string{"CONSOLE_URL": console.URL})
	o := &shell{TB: t, session: newSession(io.Discard), file: file}
	shown := colour.ReplaceAllString(o.atTerminal(60, "logs"), "")
	_, shown, _ = strings.Cut(shown, " ") // the time is that of this place
	expect.Equal(t, strings.Split(shown, "\n"), []string{
		"500 PUT    /x                   3.2 ms app 7",
		"         Runtime exited nil \\u001b]0;map",
		"         a()",
		"             b.go:1",
		"         goroutine 1 \\u001b[2J[running]:",
		"             main.go:7",
		"",
	})
}

// TestTheLogIsReadAtATerminal: whatever the stack and its functions log is an entry, with ids to the last digit. What
// goes well is left out, and what is no JSON stays as it is.
func TestTheLogIsReadAtATerminal(t *testing.T) {
	program, person := terminaltest.Open(t)
	var commands struct {
		Log logLines `cmd:""`
	}
	asJSON := false
	err := commandline.Program{Streams: commandline.Streams{Out: program, Err: program}}.
		Run(t.Context(), &struct{}{}, &asJSON, &commands, []string{"log"})
	if err != nil {
		t.Fatal(err)
	}
	program.Close()
	shown, _ := io.ReadAll(person) // it ends with an error, because the program has closed its side
	text := strings.ReplaceAll(colour.ReplaceAllString(string(shown), ""), "\r\n", "\n")
	expect.Equal(t, regexp.MustCompile(`\d\d:\d\d:\d\d`).ReplaceAllString(text, "TIME"),
		"TIME mail event error=no table mail_key=122829124565895\n"+
			"TIME built again function=SendMailFunction\n"+
			"panic: x\n    main.go:7\n{\"msg\":\"no time\"}\n", "shown")
}

// logLines is a command that logs lines of each kind.
type logLines struct{}

func (logLines) Run(out commandline.Output) error {
	terminal, _ := out.LogTerminal()
	_, err := terminalLog{terminal}.Write([]byte(
		`{"timestamp":"2026-11-26T10:00:00.5Z","level":"INFO","msg":"request","status":200}` + "\n" +
			`{"timestamp":"2026-11-26T10:00:00.5Z","level":"INFO","msg":"mail event","recorded":1}` + "\n" +
			`{"timestamp":"2026-11-26T10:00:00.5Z","level":"WARN","msg":"mail event","mail_key":122829124565895,` +
			`"error":"no table"}` + "\n" +
			`{"time":"2026-11-26T10:00:00.5+01:00","level":"INFO","msg":"built again","function":"SendMailFunction"}` +
			"\n" + "panic: x\n\tmain.go:7\n" + `{"msg":"no time"}` + "\n"))
	return err
}

// TestEveryCommandPrintsAtATerminalWhatAPipeGets, so what a person tried at a terminal also works in a script, if the
// terminal is wide enough. At a narrow one the words are the same, and lines fit, except for single words that are
// longer. JSON is one line everywhere. A new command fails here until it is tried, or among those that cannot be.
func TestEveryCommandPrintsAtATerminalWhatAPipeGets(t *testing.T) {
	t.Parallel()
	o := onProcesses(t).withKey()
	of := o.NewTenant(t)
	key, portal := of.MailKey.ID.String(), []string{"--account", "1", "--slug", of.Portal.Slug}
	sent := o.prints("mail", "send", "--to", "a@example.org", "--subject", "大きな漢字", "--text", "x")
	mail := strings.TrimSpace(sent)
	o.prints("unsubscribes", "add", key, "a@example.org")
	if err := o.Lambda().Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	tried := map[string]bool{}
	for _, args := range [][]string{
		{"check"}, {"version"}, {"completion", "fish"},
		{"mail", "list"}, {"mail", "show", mail}, {"mail-key", "list"}, {"mail-key", "quota", key},
		{"platform-app", "list"}, {"user", "list"}, {"user", "show", "--email", "agent-0@example.com"},
		{"portal", "list"}, slices.Concat([]string{"portal", "members"}, portal),
		{"unsubscribes", "list", key}, {"unsubscribes", "export", key}, {"suppression", "list"},
		{"person", "show", "a@example.org"},
		{"table", "reopen", "--nothing-ended", "--dry-run"},
	} {
		for n := range args {
			tried[strings.Join(args[:n+1], " ")] = true
		}
		for _, mode := range []string{"text", "--json"} {
			t.Run(strings.Join(args, " ")+" "+mode, func(t *testing.T) {
				o := o.of(t)
				given := args
				if mode == "--json" {
					given = append([]string{"--json"}, args...)
				}
				piped, _ := o.terminal(given...)
				expect.Equal(t, o.atTerminal(300, given...), piped, "shown")
				if mode == "--json" {
					expect.Equal(t, o.atTerminal(60, given...), piped, "shown")
					return
				}
				for _, columns := range []uint16{60, 80} {
					mustFit(t, o.atTerminal(columns, given...), piped, columns, rowsOf[args[0]])
				}
			})
		}
	}
	for _, command := range wholeGrammar().Model.Leaves(true) {
		if path := command.Path(); !tried[path] && !slices.Contains(differsEachTime, path) {
			t.Errorf("%s is not tried", path)
		}
	}
}

// differsEachTime are the commands that change something, so they succeed once, or print the time or what happened
// meanwhile. Help and logs have other columns at a terminal, and tests of their own.
var differsEachTime = []string{
	"local", "open", "status", "logs", "help", "doctor", "events redrive", "export", "import",
	"table create", "table list-access", "mail send", "suppression show", "suppression remove", "person forget",
	"mail-key create", "mail-key revoke", "unsubscribes add", "unsubscribes remove", "unsubscribes import",
	"platform-app create", "platform-app update", "platform-app rotate", "platform-app revoke", "platform-app grant",
	"platform-app revoke-grant", "portal create", "portal update", "portal delete", "portal add-member",
	"portal remove-member", "user create", "user delete", "user set-email", "user set-password", "user token",
	"user revoke-tokens",
}

// rowsOf has the commands whose results are rows. Sentences and CSV are wrapped by the terminal itself.
var rowsOf = map[string]bool{
	"mail": true, "mail-key": true, "platform-app": true, "user": true, "portal": true, "suppression": true,
}

// mustFit checks what is shown at a terminal: the words of a pipe are there, and rows have no more columns than that.
func mustFit(t testing.TB, shown, piped string, columns uint16, rows bool) {
	t.Helper()
	for _, word := range strings.Fields(piped) {
		if strings.ToUpper(word) != word { // the head, the "-" for what is empty
			expect.Contains(t, shown, word)
		}
	}
	for line := range strings.Lines(shown) {
		width := uniseg.StringWidth(strings.TrimSuffix(line, "\n"))
		if rows && len(strings.Fields(line)) > 1 {
			expect.AtMost(t, width, int(columns), "columns of "+line)
		}
	}
}

// TestHelpFitsTheTerminal, except for examples, which people paste, and for single words that are longer.
func TestHelpFitsTheTerminal(t *testing.T) {
	o := &shell{TB: t, session: newSession(io.Discard), file: "none"}
	for _, command := range wholeGrammar().Model.Leaves(true) {
		shown := o.atTerminal(50, append([]string{"help"}, strings.Fields(command.Path())...)...)
		for line := range strings.Lines(shown) {
			pasted := strings.HasPrefix(line, "    frontdesk ") || strings.HasPrefix(line, "Usage: ")
			if !pasted && len(strings.Fields(line)) > 1 {
				expect.AtMost(t, len(strings.TrimSuffix(line, "\n")), 50, "columns of "+line)
			}
		}
	}
}

// startAtTerminal starts a program as a shell does, in a session whose terminal turns a Ctrl-C into a signal.
func startAtTerminal(t testing.TB, cmd *exec.Cmd) *terminal {
	t.Helper()
	screen, keys := terminaltest.Open(t)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = screen, screen, screen
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	at := &terminal{keys: keys, cmd: cmd}
	go func() { _, _ = io.Copy(at, keys) }() // until the terminal is gone
	return at
}

// await waits until the terminal shows a text in one line, and returns the line.
func (at *terminal) await(t testing.TB, text string) (line string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		for line := range strings.Lines(at.shown()) {
			if strings.Contains(colour.ReplaceAllString(line, ""), text) {
				return line
			}
		}
	}
	t.Fatalf("no line has %q: %s", text, at.shown())
	return ""
}

// interrupt presses Ctrl-C, waits for what the program says to it, and checks how it ends.
func (at *terminal) interrupt(t testing.TB, says string, status int) {
	t.Helper()
	if _, err := at.keys.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	at.await(t, says)
	state, err := at.cmd.Process.Wait()
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, state.ExitCode(), status, "exit status")
}

// TestCtrlCEndsACommandThatAsks, and the error is that, not the step that was waited for.
func TestCtrlCEndsACommandThatAsks(t *testing.T) {
	t.Parallel()
	o := onProcesses(t).withKey()
	of := o.NewTenant(t)
	at := startAtTerminal(t, tool(t, "--local="+o.file, "platform-app", "revoke", of.App.ID.String()))
	at.await(t, "for good?")
	at.interrupt(t, "frontdesk: interrupted", 1)
}

// TestLocalShowsRequestsAtATerminal: make run prints them as they come, in colours unless NO_COLOR is set, and ends at
// a Ctrl-C.
func TestLocalShowsRequestsAtATerminal(t *testing.T) {
	for name, c := range map[string]struct {
		environment string
		coloured    bool
	}{
		"in colours":       {"NO_COLOR=", true},
		"without":          {"NO_COLOR=1", false},
		"without controls": {"TERM=dumb", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			stack := tool(t, "local", "--port", "0", "--dir", dir, "--no-watch")
			stack.Env = append(stack.Env, "TERM=xterm", c.environment)
			at := startAtTerminal(t, stack)
			at.await(t, "Ctrl-C stops it.")
			variables := sourced(t, filepath.Join(dir, "demo.env"), "BASE_URL", "MAIL_KEY")
			fetch(t, variables["BASE_URL"]+"/nowhere", "")
			line := at.await(t, " 404 GET    /nowhere")
			expect.Equal(t, colour.MatchString(line), c.coloured, "it has colours")
			sendDemoMail(t, variables)
			at.await(t, " 200 POST   /sender.php")
			at.interrupt(t, "stopping", 0)
			if _, err := os.Stat(filepath.Join(dir, "demo.env")); err == nil {
				t.Error("its variables are left")
			}
		})
	}
}
