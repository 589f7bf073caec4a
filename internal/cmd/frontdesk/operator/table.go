package operator

import (
	"context"

	"frontdesk/internal/cmd/frontdesk/commandline"
	"frontdesk/internal/table"
)

type tableGroup struct {
	Create tableCreate `cmd:"" help:"${table_create}"`
}

type tableCreate struct{}

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
