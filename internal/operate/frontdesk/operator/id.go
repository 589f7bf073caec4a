package operator

import (
	"frontdesk/internal/base/id"
	"frontdesk/internal/operate/frontdesk/commandline"

	"github.com/alecthomas/kong"
)

// idArg is the id of the thing that a command is for. The group's tag set:"thing=…" gives the thing's name in the help.
type idArg struct {
	ID string `arg:"" help:"The ${thing}'s id, as list shows it."`
	id id.ID  // parsed, once AfterApply has run
}

// AfterApply reads the id. kong calls it before any Run, so a malformed id costs no call of AWS. The parent of the
// selected command is its group.
func (a *idArg) AfterApply(c *kong.Context) (err error) {
	a.id, err = parseID(a.ID, c.Selected().Parent.Name)
	return err
}

// parseID reads an id from the command line. An error names the group, whose list shows the ids. It does not look
// whether the id exists.
func parseID(s, group string) (id.ID, error) {
	parsed, ok := id.Parse(s)
	if !ok {
		return 0, commandline.Usage("%q is not an id; frontdesk %s list shows them", s, group)
	}
	return parsed, nil
}
