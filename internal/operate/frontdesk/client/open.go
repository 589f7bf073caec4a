package client

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"

	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/frontdesk/target"
)

// openCommand is frontdesk open. Page is "" for the console if there is one, and else for the docs.
type openCommand struct {
	Page string `arg:"" optional:"" enum:"console,docs," default:"" help:"console or docs. Default: the console, if there is one."`
}

// Run prints the address, and opens it in a browser if there is one. No browser, or one that fails, is no error: the
// address is there.
func (c openCommand) Run(ctx context.Context, stack *target.Target, out commandline.Output) error {
	// It is printed even if a browser opens: over SSH only the address helps.
	address := stack.Console() + "/"
	switch {
	case c.Page == "console" && stack.Console() == "":
		return errors.New("a deployed stack has no console: give --local, or open docs")
	case c.Page == "docs" || stack.Console() == "":
		api, err := stack.API(ctx)
		if err != nil {
			return err
		}
		address = api + "/docs"
	}
	result := struct {
		Address string `json:"address"`
	}{address}
	if err := out.Report(result, "%s", address); err != nil {
		return err
	}
	if command := browser(); command != nil {
		if err := exec.CommandContext(ctx, command[0], append(command[1:], address)...).Run(); err != nil {
			out.Note("no browser was opened: %s: %v\n", command[0], err)
		}
	}
	return nil
}

// browser returns the command that opens an address in the user's browser; nil if there is no desktop. On Linux and
// other systems it looks for a display first: xdg-open without one would start a browser in the terminal. WSL has a
// browser on the Windows side.
func browser() []string {
	var command []string
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open"}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	default:
		if cmp.Or(os.Getenv("DISPLAY"), os.Getenv("WAYLAND_DISPLAY"), os.Getenv("WSL_DISTRO_NAME")) == "" {
			return nil
		}
		command = []string{"xdg-open"}
	}
	if _, err := exec.LookPath(command[0]); err != nil {
		return nil
	}
	return command
}
