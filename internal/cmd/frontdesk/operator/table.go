package operator

import (
	"context"
	"fmt"

	"frontdesk/internal/check"
	"frontdesk/internal/cmd/frontdesk/commandline"
	"frontdesk/internal/table"
)

// tableGroup has the commands of frontdesk table. All but create are for a recovery: put-back after a repair,
// list-access and reopen around a restore from a backup.
type tableGroup struct {
	Create  tableCreate  `cmd:"" help:"${table_create}"`
	PutBack tablePutBack `cmd:"" help:"${table_put_back}"`

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

// tablePutBack is frontdesk table put-back, which undoes a check --repair.
type tablePutBack struct {
	File string `arg:"" type:"path" help:"The file that check --repair has named."`
}

// Run returns an error if an item could not be put back. An item that somebody has written since is left as it is: the
// saved state is older. What was put back before an interruption counts as there already when the command is repeated.
func (c tablePutBack) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	r, err := check.PutBack(ctx, t, c.File)
	if err != nil {
		return err
	}
	result := struct {
		PutBack int `json:"put_back"`
		There   int `json:"there"` // as before already
		// Left is an empty array for none: JSON would have null for a nil slice.
		Left []check.LeftItem `json:"left"`
	}{r.Put, r.There, append([]check.LeftItem{}, r.Left...)}
	err = out.Print(result, func(p commandline.Printer) {
		for _, item := range r.Left {
			p.Printf("%s\n    not put back: %s\n", item.Key, item.Why)
		}
		p.Printf("put back %d items; %d were as before already\n", r.Put, r.There)
	})
	if err == nil && len(r.Left) > 0 {
		err = fmt.Errorf("not put back: %d", len(r.Left))
	}
	return err
}
