package operator

import (
	"frontdesk/internal/cmd/frontdesk/commandline"
	"frontdesk/internal/id"

	"github.com/alecthomas/kong"
)

// idArg is the thing that a command is about. What it is called is the group's.
type idArg struct {
	ID string `arg:"" help:"The ${thing}'s id, as list shows it."`
	id id.ID
}

// AfterApply reads the id.
func (a *idArg) AfterApply(c *kong.Context) (err error) {
	a.id, err = parseID(a.ID, c.Selected().Parent.Name)
	return err
}

// parseID reads an id that a command was given; the group's list shows them.
func parseID(s, group string) (id.ID, error) {
	parsed, ok := id.Parse(s)
	if !ok {
		return 0, commandline.Usage("%q is not an id; frontdesk %s list shows them", s, group)
	}
	return parsed, nil
}
