package commandline

import (
	_ "embed"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// Completion is the command that prints a script, with which a shell completes command lines of the program.
type Completion struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// The scripts know nothing of the program's commands: they ask it by [Complete]. So a script that a shell has loaded
// stays right when the program gets new commands.
var (
	//go:embed completion.bash
	bashScript string
	//go:embed completion.zsh
	zshScript string
	//go:embed completion.fish
	fishScript string
)

// Run prints the script.
func (c Completion) Run(k *kong.Context, out Output) error {
	script := map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}[c.Shell]
	_, err := io.WriteString(out.out, strings.ReplaceAll(script, "PROGRAM", k.Model.Name))
	return err
}
