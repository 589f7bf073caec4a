package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"frontdesk/internal/prove/expect"
)

// asked is a request, both as the console knows it and as the server gets it.
type asked struct {
	Method  string      `json:"method"`
	Path    string      `json:"path"` // with its query
	Headers [][2]string `json:"headers"`
	Body    string      `json:"body"`
}

// curls makes a command of each request, with the console's own script.
func curls(t *testing.T, origin string, requests map[string]asked) (commands map[string]string) {
	t.Helper()
	script, err := assets.ReadFile("assets/curl.js")
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(t.TempDir(), "curl.mjs")
	if err := os.WriteFile(module, script, 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := json.Marshal(requests)
	if err != nil {
		t.Fatal(err)
	}
	// One start of Node.js makes all commands, because a start takes longer than all of them.
	node := exec.CommandContext(t.Context(), "node", "--input-type=module", "--eval", fmt.Sprintf(`
		import { readFileSync } from "node:fs";
		import { curl } from %q;
		const commands = JSON.parse(readFileSync(0));
		for (const name in commands) commands[name] = curl(%q, commands[name]);
		console.log(JSON.stringify(commands));`, module, origin))
	var said bytes.Buffer
	node.Stdin, node.Stderr = bytes.NewReader(in), &said
	out, err := node.Output()
	if err != nil {
		t.Fatalf("node: %v %s", err, said.String())
	}
	if err := json.Unmarshal(out, &commands); err != nil {
		t.Fatal(err)
	}
	return commands
}

// recorder answers every request, and keeps the last one.
type recorder struct {
	mu   sync.Mutex
	last *asked
}

// ServeHTTP keeps the request, without the headers that curl adds by itself.
func (r *recorder) ServeHTTP(_ http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	got := asked{Method: request.Method, Path: request.RequestURI, Body: string(body)}
	for _, name := range slices.Sorted(maps.Keys(request.Header)) {
		switch name {
		case "User-Agent", "Content-Length": // curl sends these itself
		case "Accept":
			if request.Header.Get(name) == "*/*" {
				continue
			}
			fallthrough
		default:
			got.Headers = append(got.Headers, [2]string{strings.ToLower(name), request.Header.Get(name)})
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = &got
}

// take returns the last request since the previous call, or nil.
func (r *recorder) take() *asked {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.last
	r.last = nil
	return taken
}

// interactive are the shells into which the command is pasted. As in a terminal, "!" expands to earlier input.
var interactive = map[string][]string{
	"bash": {"bash", "--norc", "--noprofile", "-i", "-o", "history", "-o", "histexpand"},
	"zsh":  {"zsh", "-f", "-i"},
}

// TestCurlRepeatsTheRequest shows that the command sends exactly the same bytes, in every installed shell, that nothing
// else runs, and that the terminal finds nothing to obey in what is pasted.
func TestCurlRepeatsTheRequest(t *testing.T) {
	// Each kind of quoting is ended, and a command follows it.
	const injected = `'; touch injected; echo '"$(touch injected)` + "`touch injected`\ntouch injected\n"
	none, plain := [][2]string{}, [][2]string{{"content-type", "application/json"}}
	// "A control" sets a title, clears the screen and colours text, if a terminal gets its bytes. "An end of paste"
	// ends what a terminal takes as pasted, and runs what follows. "A direction" has marks with which a command reads
	// otherwise than it runs. "A history" has what an interactive shell replaces by earlier commands, even within
	// double quotes. curl would send the content of "a file's name", add a type to "no type", make several requests of
	// "a list in a path", and resolve "dots".
	requests := map[string]asked{
		"no body":          {"GET", "/docs?a=b&c=%20", none, ""},
		"another method":   {"PATCH", "/users/7", plain, `{"name":"Ada"}`},
		"a quote":          {"POST", "/x", plain, `{"text": "it's"}`},
		"lines":            {"POST", "/x", plain, "{\n\t\"text\": 1\r\n}\n"},
		"a command":        {"POST", "/x?a=';touch${IFS}a;'", [][2]string{{"content-type", injected[:40]}}, injected},
		"a control":        {"POST", "/x", plain, "\x01\x1b]0;title\a\x1b[2J\x7f\u0085\u009b31m0"},
		"an end of paste":  {"POST", "/x", plain, "\x1b[201~\ntouch injected\n\x1b[200~"},
		"a direction":      {"POST", "/x?\u202e", [][2]string{{"x-a", "\u061c"}}, "\u2066\u2028\u2029\u200f"},
		"a history":        {"POST", "/x", plain, "!! !x !$ it's !?x?\n^a^b\n!!"},
		"one in a line":    {"POST", "/x", plain, `{"text": "Hi!!"}`},
		"backslashes":      {"POST", "/x", plain, `{"a": "\\n\"\u0041"}\'; touch injected; echo \'` + `\`},
		"a file's name":    {"POST", "/x", plain, "@/etc/passwd"},
		"any script":       {"POST", "/x", plain, "Ünï 漢字 e\u0301 עברית 👩‍🚀"},
		"no type":          {"POST", "/x", none, "{}"},
		"an empty header":  {"GET", "/x", [][2]string{{"x-a", ""}, {"x-b", "c"}}, ""},
		"a list in a path": {"GET", "/x[1-3]/{a,b}?c[]=d", none, ""},
		"dots":             {"GET", "/a/../../b/./c?d=/../", none, ""},
		"no answer's body": {"HEAD", "/x", none, ""},
	}
	got := new(recorder)
	server := httptest.NewServer(got)
	defer server.Close()
	commands := curls(t, server.URL, requests)
	for shell, program := range interactive {
		if _, err := exec.LookPath(shell); err != nil && shell != "bash" {
			t.Logf("%s is not installed", shell)
			continue
		}
		for name, want := range requests {
			t.Run(shell+", "+name, func(t *testing.T) {
				command := commands[name]
				// Of control characters, only the line feeds between options are left.
				at := strings.IndexFunc(command, func(r rune) bool {
					return r != '\n' && unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
				})
				expect.AtMost(t, at, -1)
				expect.Equal(t, strings.Count(command, "\n"), strings.Count(command, " \\\n  "))
				// Whatever runs besides curl leaves a file behind.
				output, left := paste(t, program, command)
				if last := got.take(); last == nil || fmt.Sprintf("%q", *last) != fmt.Sprintf("%q", want) {
					t.Errorf("%s\nsent %q\nwant %q: %s", command, last, want, output)
				}
				if len(left) > 0 {
					t.Errorf("%s\nhas made %v", command, left)
				}
			})
		}
	}
}

// TestCurlHasTheOptionsThatARequestNeeds shows options that some versions of curl need, although the one on this
// machine may do without them.
func TestCurlHasTheOptionsThatARequestNeeds(t *testing.T) {
	none := [][2]string{}
	const plain, dots = "curl -s 'http://localhost'", " \\\n  --path-as-is"
	requests, want := map[string]asked{}, map[string]string{}
	for path, options := range map[string]string{
		"/a/../b": dots, "/./a": dots, "/a/..": dots, "/a/.?b": dots, "/a/%2e%2E/b": dots, "/%2e": dots,
		"/a/.%2e?b": dots, "/a/...": "", "/a/.b": "", "/%2e%2e%2e/": "", "/a..": "", "/%2f..": "",
	} {
		requests[path], want[path] = asked{"GET", path, none, ""}, strings.Replace(plain, "t'", "t"+path+"'", 1)+options
	}
	// curl refuses a body with -I. With -X HEAD it would wait for the answer's body, which never comes.
	requests["a body of HEAD"] = asked{"HEAD", "", none, "x"}
	want["a body of HEAD"] = plain + " \\\n  -I"
	// The console gets U+FFFD for bytes that are not UTF-8. So it cannot repeat such a request.
	requests["a query that is no text"] = asked{"GET", "/?a=\uFFFD", none, ""}
	requests["a header that is no text"] = asked{"GET", "/", [][2]string{{"x-a", "\uFFFD"}}, ""}
	want["a query that is no text"], want["a header that is no text"] = "", ""
	commands := curls(t, "http://localhost", requests)
	for name, command := range want {
		if commands[name] != command {
			t.Errorf("%s: %q, want %q", name, commands[name], command)
		}
	}
}

// TestCurlRunsNothingInOtherShells covers shells that do not know the quoting. They may send something else, but must
// run nothing.
func TestCurlRunsNothingInOtherShells(t *testing.T) {
	const injected = "; touch injected\ntouch injected\n"
	requests := map[string]asked{}
	for name, begin := range map[string]string{
		"a quote": "'", "an escaped quote": `\'`, "two": `\\'`, "a control": "\x01'", "an escaped control": "\x01\\'",
	} {
		lines := begin + injected + begin
		requests[name] = asked{"POST", "/x", [][2]string{}, lines}
		requests[name+" in one line"] = asked{"POST", "/x", [][2]string{}, strings.ReplaceAll(lines, "\n", ";") + `\`}
	}
	server := httptest.NewServer(new(recorder))
	defer server.Close()
	commands := curls(t, server.URL, requests)
	for _, shell := range []string{"sh", "dash", "ksh", "fish", "tcsh"} {
		if _, err := exec.LookPath(shell); err != nil && shell != "sh" {
			t.Logf("%s is not installed", shell)
			continue
		}
		for name, command := range commands {
			if output, left := paste(t, []string{shell}, command); len(left) > 0 {
				t.Errorf("%s, %s: %s\nhas made %v: %s", shell, name, command, left, output)
			}
		}
	}
}

// paste types a command into a shell in an empty folder. It returns the output, and what is in the folder afterwards.
func paste(t *testing.T, program []string, command string) (output string, left []string) {
	t.Helper()
	shell := exec.CommandContext(t.Context(), program[0], program[1:]...)
	shell.Dir = t.TempDir()
	shell.Env = append(os.Environ(), "HOME="+shell.Dir, "HISTFILE=", "LC_ALL=C", "no_proxy=*")
	shell.Stdin = strings.NewReader(command + "\n")
	said, _ := shell.CombinedOutput() // the status is curl's, or that of a shell that rejects the command
	entries, err := os.ReadDir(shell.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	return string(said), left
}
