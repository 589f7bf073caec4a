package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// pasteAll is the variable that enables the test below, which takes minutes. make test/pages sets it.
const pasteAll = "FRONTDESK_PASTE"

// shells are the shells of macOS and of most Linux terminals, without a user's settings. A user's own settings could
// change how a shell reads a paste.
var shells = map[string][]string{"zsh": {"-f", "-i"}, "bash": {"--norc", "--noprofile", "-i"}}

// shellError matches a line by which a shell, not a command, refuses something.
var shellError = regexp.MustCompile(`(?m)^(zsh|bash): .*$`)

// failure matches a line by which a command or the API reports an error.
var failure = regexp.MustCompile(`(?m)^frontdesk: .*|^.*"message":.*`)

// saysWhy lists the blocks that do not work a second time, and what they then say.
var saysWhy = map[string]string{
	"README.md, Keep categories and users 1":        "slug_taken",
	"internal/docs/categories.md, A tree 1":         "slug_taken",
	"internal/docs/users.md, Members 1":             "slug_taken",
	"internal/docs/restore.md, Lists 1":             "file exists",
	"internal/docs/users.md, Operators' commands 1": "user", // the user was deleted
}

// placeholder matches text that the reader replaces.
var placeholder = regexp.MustCompile(`<[A-Za-z]+>`)

// TestBlocksPasteIntoTerminals pastes each block of each page, in order, twice in a row into a terminal. The first
// time it does what TestWhatIsPrintedCanBePasted expects. The second time it works as well, or says why it does not.
// No shell may complain. Blocks that are not pasted are parsed. A reader may paste a block once more after a mistake.
func TestBlocksPasteIntoTerminals(t *testing.T) {
	if os.Getenv(pasteAll) == "" {
		t.Skip("make test/pages runs it")
	}
	for shell, arguments := range shells {
		t.Run(shell, func(t *testing.T) {
			dir := t.TempDir()
			pages := append(readPages(t), welcomePage(startLocal(t, dir)))
			for _, p := range pages {
				at := openTerminal(t, dir, shell, arguments)
				at.paste(t, "set -a; . .local/demo.env; set +a\n")
				for _, b := range p.blocks {
					if out, err := parseIn(shell, b.script); err != nil {
						t.Errorf("%s: %v\n%s", b.name, err, out)
					}
					if notPasted[b.name] != "" || needsExport(b) {
						continue
					}
					commands := strings.ReplaceAll(b.script, "--stack frontdesk", "--local") // as if it was deployed
					first := at.paste(t, commands)
					for _, text := range prints[b.name] {
						text = strings.TrimPrefix(text, "revoked 3") // a page before was pasted twice: they are more
						if !strings.Contains(words(first), words(text)) {
							t.Errorf("%s printed %s\nwant %s", b.name, first, text)
						}
					}
					again := at.paste(t, commands)
					for _, said := range failure.FindAllString(again, -1) {
						if why := saysWhy[b.name]; why == "" || !strings.Contains(said, why) {
							t.Errorf("%s, pasted once more, says %s", b.name, said)
						}
					}
					for run, printed := range map[string]string{"once": first, "once more": again} {
						if refused := shellError.FindString(printed); refused != "" {
							t.Errorf("%s, pasted %s: %s\n%s", b.name, run, refused, printed)
						}
					}
				}
				at.close(t)
			}
		})
	}
}

// words returns a text with one space between its words: a token that is wider than the terminal stands in a line of
// its own.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// parseIn lets a shell parse a script without running it.
func parseIn(shell, script string) ([]byte, error) {
	cmd := exec.Command(shell, "-n")
	cmd.Stdin = strings.NewReader(placeholder.ReplaceAllString(script, "x"))
	return cmd.CombinedOutput()
}

// terminal is a program at a pseudo-terminal.
type terminal struct {
	keys *os.File
	cmd  *exec.Cmd
	mu   sync.Mutex
	text strings.Builder // all that it has shown
	n    int             // pastes so far
}

// openTerminal starts a shell that has a pseudo-terminal as its controlling one. It has no prompt and no history.
func openTerminal(t testing.TB, dir, shell string, arguments []string) *terminal {
	t.Helper()
	cmd := exec.Command(shell, arguments...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TERM=xterm", "PS1=", "HISTFILE=/dev/null")
	return startAtTerminal(t, cmd)
}

// Write keeps what the terminal shows.
func (at *terminal) Write(shown []byte) (int, error) {
	at.mu.Lock()
	defer at.mu.Unlock()
	return at.text.Write(shown)
}

// shown returns all of it so far.
func (at *terminal) shown() string {
	at.mu.Lock()
	defer at.mu.Unlock()
	return at.text.String()
}

// paste pastes commands as terminals do: between the marks of a bracketed paste, which tell a shell that nobody
// types. It returns what the terminal showed until the commands ended.
func (at *terminal) paste(t *testing.T, commands string) string {
	t.Helper()
	before := len(at.shown())
	at.n++
	fmt.Fprintf(at.keys, "\x1b[200~%s\x1b[201~\r", strings.TrimSuffix(commands, "\n"))
	// The shell echoes this line as well. So it does not have the mark itself: only printf puts it together.
	fmt.Fprintf(at.keys, "printf '=%%s= %d\\n' DONE\r", at.n)
	done := fmt.Sprintf("=DONE= %d", at.n)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if text, _, found := strings.Cut(at.shown()[before:], done); found {
			return text
		}
	}
	t.Fatalf("this did not end: %s\nit has shown %s", commands, at.shown()[before:])
	return ""
}

// close ends the shell, whatever it is doing.
func (at *terminal) close(t testing.TB) {
	t.Helper()
	_ = at.cmd.Process.Kill()
	_ = at.cmd.Wait()
	if err := at.keys.Close(); err != nil {
		t.Error(err)
	}
}
