package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/prove/expect"

	"github.com/alecthomas/kong"
)

// TestEveryCommandHasHelp, and the completion offers every command. It finds the commands by the completion itself.
// Help is a sentence with a full stop.
func TestEveryCommandHasHelp(t *testing.T) {
	t.Parallel()
	walked := 0
	var walk func(path ...string)
	walk = func(path ...string) {
		group := helped(t, path...)
		for _, line := range completed(t, append(path, "")...) {
			name, help, _ := strings.Cut(line, "\t")
			command := append(slices.Clone(path), name)
			text := helped(t, command...)
			if name == "help" || text == group {
				continue // its words are commands again; it is a value of an argument
			}
			walked++
			expect.AtLeast(t, len(help), 8)
			expect.HasSuffix(t, help, ".")
			expect.Contains(t, group, name)
			expect.HasPrefix(t, text, "Usage: frontdesk "+strings.Join(command, " "))
			if strings.Contains(text, "\nCommands:\n") {
				walk(command...)
			}
		}
	}
	walk()
	if walked < 30 {
		t.Errorf("there are %d commands", walked)
	}
}

// TestEveryHelpHasAnExample that the tool takes, and shows a command's own flags before those of every command. An
// example is parsed by the tool's own grammar, after a shell has split it, and must be of the command whose help
// shows it.
func TestEveryHelpHasAnExample(t *testing.T) {
	t.Parallel()
	parser := wholeGrammar()
	var walk func(node *kong.Node, words []string)
	walk = func(node *kong.Node, words []string) {
		name, help := strings.Join(words, " "), helped(t, words...)
		examples := node.Tag.Get("example")
		if len(words) == 0 {
			examples = toolExamples
		}
		if examples == "" && !node.Hidden {
			t.Errorf("%q has no example", name)
		}
		for line := range strings.SplitSeq(examples, "\n") {
			if line == "" {
				continue
			}
			expect.Contains(t, help, "\n    "+line+"\n")
			mustBeOf(t, parser, name, line)
		}
		if name != "" && len(node.Children) == 0 && !node.Hidden {
			own, all := strings.Index(help, "\nFlags:\n"), strings.Index(help, "\nFlags of every command:\n")
			expect.AtLeast(t, all, max(own, 1), "where the flags of every command begin in "+name)
		}
		for _, child := range node.Children {
			walk(child, append(slices.Clone(words), child.Name))
		}
	}
	walk(parser.Model.Node, nil)
}

// wholeGrammar returns the tool's grammar with all commands, where a command line of the tool gets its own alone.
func wholeGrammar() *kong.Kong {
	all := commandline.Commands(&commands{}, func(string) bool { return true })
	return kong.Must(&globalFlags{}, all...)
}

// typed returns the arguments of an example, as a shell splits it, without a redirection. Files that the tool wants to
// see are there.
func typed(t testing.TB, line string) []string {
	t.Helper()
	line, _, _ = strings.Cut(strings.Replace(line, " < ", " > ", 1), " > ")
	words, err := exec.Command("sh", "-c", `frontdesk() { printf '%s\0' "$@"; }; `+line).Output()
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
	for i, arg := range args {
		if arg == "bill.pdf" || arg == "secret.txt" {
			args[i] = write(t, "")
		}
	}
	return args
}

// mustBeOf parses an example of a command, or of a group, whose words the name has.
func mustBeOf(t testing.TB, parser *kong.Kong, name, line string) {
	t.Helper()
	args := typed(t, line)
	command, err := parser.Parse(args)
	if err != nil {
		t.Errorf("%s: %v", line, err)
		return
	}
	path := command.Selected().Path()
	expect.Equal(t, path == name || strings.HasPrefix(path, name+" ") || name == "", true, line+" is of "+name)
}

// helped returns the help of a command; "" if there is none.
func helped(t testing.TB, command ...string) string {
	t.Helper()
	text, err := frontdesk(t, append([]string{"help"}, command...)...)
	if err != nil {
		return ""
	}
	return text
}

// completed returns the candidates for the last word.
func completed(t testing.TB, words ...string) []string {
	t.Helper()
	out, err := frontdesk(t, append([]string{"complete", "--"}, words...)...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.FieldsFunc(out, func(c rune) bool { return c == '\n' })
}

// TestCompletionOffersWhatMayComeNext: each case is the words so far, and the candidates for the last one. Hidden
// commands and old names are no candidates.
func TestCompletionOffersWhatMayComeNext(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		words []string
		want  string // the candidates without their help
	}{
		"a command":                   {[]string{"mail-"}, "mail-key"},
		"two commands":                {[]string{"mail"}, "mail mail-key"},
		"what is hidden is not there": {[]string{"comp"}, "completion"},
		"a command of a group":        {[]string{"mail-key", ""}, "create list quota revoke"},
		"behind a flag":               {[]string{"--json", "mail-key", "l"}, "list"},
		// mail-key is the value of --stack here, and no command.
		"behind a flag and its value":   {[]string{"--stack", "mail-key", "stat"}, "status"},
		"behind a flag that needs none": {[]string{"--local", "stat"}, "status"},
		"behind a flag with its value":  {[]string{"--stack=x", "stat"}, "status"},
		// bash makes a word of each "=", because it is in COMP_WORDBREAKS.
		"one that bash has taken apart":       {[]string{"--stack", "=", "x", "stat"}, "status"},
		"a flag":                              {[]string{"mail-key", "create", "--na"}, "--name"},
		"a flag of all commands":              {[]string{"mail-key", "create", "--js"}, "--json"},
		"a flag that can be turned off":       {[]string{"portal", "update", "--no-"}, "--no-public"},
		"an old name is not offered":          {[]string{"portal", "members", "--po"}, ""},
		"an old flag is not offered":          {[]string{"user", "token", "--us"}, ""},
		"values of an argument":               {[]string{"completion", ""}, "bash zsh fish"},
		"values that may be absent":           {[]string{"open", "d"}, "docs"},
		"kinds that may end":                  {[]string{"table", "reopen", "--end", "m"}, "mail-key member"},
		"kinds that may end behind =":         {[]string{"table", "reopen", "--end=a"}, "--end=agent-token"},
		"values that the API judges":          {[]string{"mail", "list", "--status", "de"}, "delayed delivered"},
		"no second value":                     {[]string{"open", "docs", ""}, ""},
		"a value of any kind":                 {[]string{"mail", "send", "--to", ""}, ""},
		"a file":                              {[]string{"mail", "send", "--key-file", "x"}, ":files"},
		"a file behind =":                     {[]string{"mail", "send", "--key-file=x"}, ":files"},
		"a file that bash has taken apart":    {[]string{"mail", "send", "--key-file", "="}, ":files"},
		"a file as an argument":               {[]string{"mail", "send", ""}, ":files"},
		"a command to be helped with":         {[]string{"help", "port"}, "portal"},
		"a command of a group to help with":   {[]string{"help", "portal", "add"}, "add-member"},
		"nothing behind a command that is no": {[]string{"mails", "send"}, ""},
		"nothing at all, which is a command":  {nil, strings.Join(candidateNames(completed(t, "")), " ")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(candidateNames(completed(t, c.words...)), " "); got != c.want {
				t.Errorf("%q may become %q, want %q", c.words, got, c.want)
			}
		})
	}
}

// TestCompletionKnowsTheStatusesOfTheContract: a new one has to be offered, too.
func TestCompletionKnowsTheStatusesOfTheContract(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../service/docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var contract struct {
		Components struct {
			Schemas struct{ MailStatus struct{ Enum []string } }
		}
	}
	if err := json.Unmarshal(text, &contract); err != nil {
		t.Fatal(err)
	}
	statuses := contract.Components.Schemas.MailStatus.Enum
	expect.AtLeast(t, len(statuses), 1, "statuses of the contract")
	expect.Equal(t, candidateNames(completed(t, "mail", "list", "--status", "")), statuses)
}

// candidateNames returns the candidates without their help.
func candidateNames(lines []string) (names []string) {
	for _, line := range lines {
		name, _, _ := strings.Cut(line, "\t")
		names = append(names, name)
	}
	return names
}

// TestCompletionInShells runs the script of every installed shell. bash is there wherever the README's commands work.
// The file's name has spaces, on which a careless script would split it.
func TestCompletionInShells(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(t.TempDir(), "bin")
	writeTool(t, bin)
	// How each shell asks for completions. zsh's own functions need a terminal, so others stand in for them.
	const bash = `
		complete_line() {
			COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _frontdesk; printf '%s\n' "${COMPREPLY[@]}"
		}
		compopt() { :; }`
	const zsh = `
		compdef() { :; }
		_describe() { for value in "${(@P)2}"; do print -r -- "${value%%:*}"; done }
		_files() { print -r -- *; }
		complete_line() { words=("$@"); CURRENT=$#; _frontdesk; }`
	const fish = `
		function complete_line
			complete -C "$argv" | string split -f 1 \t
		end`
	lines := "complete_line frontdesk mail-key cr\ncomplete_line frontdesk check --seg\n" +
		"complete_line frontdesk mail send --key-file fi\ntrue\n"
	for shell, c := range map[string]struct{ script, source string }{
		"bash": {bash, "source <(frontdesk completion bash)"},
		"zsh":  {zsh, "source <(frontdesk completion zsh)"},
		"fish": {fish, "frontdesk completion fish | source"},
	} {
		path, err := exec.LookPath(shell)
		if err != nil && shell != "bash" {
			t.Logf("%s is not installed", shell)
			continue
		}
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), path, "-c", c.script+"\n"+c.source+"\n"+lines)
			cmd.Dir = t.TempDir()
			cmd.Env = append(cmd.Environ(), "PATH="+bin+":/usr/bin:/bin", "HOME="+cmd.Dir)
			if err := os.WriteFile(filepath.Join(cmd.Dir, "file of mine"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := cmd.CombinedOutput()
			got := strings.TrimSpace(string(out))
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, got, "create\n--segments\nfile of mine", "strings.TrimSpace(string(out))")
		})
	}
}
