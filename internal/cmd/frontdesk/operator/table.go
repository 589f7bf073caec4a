package operator

import (
	"context"

	"frontdesk/internal/cmd/frontdesk/commandline"
	"frontdesk/internal/table"
)

// tableGroup has the commands of frontdesk table. All but create are for a restore from a backup.
type tableGroup struct {
	Create     tableCreate     `cmd:"" help:"${table_create}"`
	ListAccess tableListAccess `cmd:"" help:"${table_list_access}"`
	Reopen     tableReopen     `cmd:"" help:"${table_reopen}"`
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
	return out.Print(result, func(p commandline.Printer) {
		if created {
			p.Printf("created table %s\n", t.Name())
		} else {
			p.Printf("table %s exists\n", t.Name())
		}
	})
}
