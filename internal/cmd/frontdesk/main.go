// Command frontdesk is the operators' tool: it runs the stack on one machine, creates the table, and gives
// out and revokes credentials.
//
// On AWS it uses the usual chain of credentials. AWS_ENDPOINT_URL_DYNAMODB and TABLE_NAME select another table, such as
// the local stack's.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"frontdesk/internal/table"

	"github.com/alecthomas/kong"
	"github.com/aws/aws-sdk-go-v2/config"
)

type commands struct {
	JSON      bool   `help:"Print one JSON object or array."`
	TableName string `name:"table-name" env:"TABLE_NAME" placeholder:"NAME" help:"The table."`

	Local       localCommand     `cmd:"" help:"Run the whole stack on this machine."`
	Table       tableCommand     `cmd:"" help:"The table."`
	MailKey     mailKeyGroup     `cmd:"" name:"mail-key" help:"Keys that send mail."`
	PlatformApp platformAppGroup `cmd:"" name:"platform-app" help:"Applications that manage users."`
	User        userGroup        `cmd:"" help:"Users and their agent tokens."`
	Portal      portalCommand    `cmd:"" help:"Portals, which have categories and members."`
	Check       checkCommand     `cmd:"" help:"${check}"`
	Doctor      doctorCommand    `cmd:"" help:"${doctor}"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "frontdesk:", err)
		stop()
		os.Exit(1)
	}
}

// run carries out one command line.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	var c commands
	helped := false
	parser, err := kong.New(&c,
		kong.Name("frontdesk"),
		kong.Description("Outbound mail, help-center categories and platform users beside a support product."),
		longHelp,
		kong.Exit(func(int) { helped = true }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(output{w: stdout, json: &c.JSON}),
		kong.BindToProvider(c.openTable),
	)
	if err != nil {
		return err
	}
	command, err := parser.Parse(args)
	if helped {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w (see frontdesk --help)", err)
	}
	return command.Run()
}

// openTable opens the table that a command works on.
func (c *commands) openTable(ctx context.Context) (table.Table, error) {
	if c.TableName == "" {
		return table.Table{}, errors.New("no table: set TABLE_NAME or give --table-name")
	}
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return table.Table{}, fmt.Errorf("load AWS configuration: %w", err)
	}
	return table.Open(cfg, c.TableName), nil
}

// output prints the result of a command, as text or as JSON.
type output struct {
	w    io.Writer
	json *bool
}

// print prints v as JSON where that is asked for, else calls text.
func (o output) print(v any, text func(io.Writer)) error {
	if *o.json {
		enc := json.NewEncoder(o.w)
		enc.SetEscapeHTML(false)
		return enc.Encode(v)
	}
	text(o.w)
	return nil
}
