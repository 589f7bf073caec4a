package main

import (
	"context"
	"fmt"
	"io"

	"frontdesk/internal/table"
)

type tableCommand struct {
	Create tableCreate `cmd:"" help:"${table_create}"`
}

type tableCreate struct{}

func (tableCreate) Run(ctx context.Context, t table.Table, out output) error {
	created, err := t.Create(ctx)
	if err != nil {
		return err
	}
	result := struct {
		Table   string `json:"table"`
		Created bool   `json:"created"`
	}{t.Name(), created}
	return out.print(result, func(w io.Writer) {
		if created {
			fmt.Fprintf(w, "created table %s\n", t.Name())
		} else {
			fmt.Fprintf(w, "table %s exists\n", t.Name())
		}
	})
}
