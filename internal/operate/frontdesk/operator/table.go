package operator

import (
	"context"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/frontdesk/commandline"
)

// tableGroup has the commands of frontdesk table. All but create are for a restore from a backup.
type tableGroup struct {
	Create     tableCreate     `cmd:"" help:"Create the table, wait until it is active, and enable its time to live. sam deploy does this by itself." example:"frontdesk --table-name frontdesk-try table create"`
	ListAccess tableListAccess `cmd:"" help:"Write a list of what gives access into a new file, for a reopen when the table itself is gone. The file has e-mail addresses, but no secret." example:"frontdesk --stack frontdesk table list-access access.ndjson"`
	Reopen     tableReopen     `cmd:"" help:"In a table restored from a backup, end again what has ended since. Run it before the table takes traffic." example:"frontdesk --table-name frontdesk-restored table reopen --from frontdesk-main --dry-run"`
}

// tableCreate is frontdesk table create, for a table outside a stack, such as one for a try.
type tableCreate struct{}

// Run creates the table of a stack that sam deploy does not make. A table that exists is no error, so a script may
// repeat the command. It also waits until the table is active, because a script's next command would fail otherwise.
func (tableCreate) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	created, err := t.Create(ctx)
	if err != nil {
		return err
	}
	result := struct {
		Table   string `json:"table"`
		Created bool   `json:"created"`
	}{t.Name(), created}
	if created {
		return out.Report(result, "created table %s", t.Name())
	}
	return out.Report(result, "table %s exists", t.Name())
}
