package bench

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"frontdesk/internal/local"
	"frontdesk/internal/local/localtest"
	"frontdesk/internal/mail"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
)

// desk is a table with a tenant in it, and the services that functions call.
type desk struct {
	programs []program
	stack    *local.Stack // for its database; its functions are not used
	table    table.Table
	ses      *ses
	mailKey  string
	platform string // token of a platform app
	user     user.User
	agent    string // token of the user
	serial   int    // of what fresh has named
}

const password = "correct horse"

func open(tb testing.TB) *desk {
	tb.Helper()
	d := &desk{programs: programs(tb), ses: newSES(tb)}
	d.stack = localtest.Start(tb, func(o *local.Options) { o.Builds = filepath.Dir(d.programs[0].folder) })
	d.table = table.Open(d.stack.Operator(), d.stack.Environ()["TABLE_NAME"])
	ctx := tb.Context()
	app, platform, err := user.Apps{Table: d.table}.Create(ctx, "bench")
	if err != nil {
		tb.Fatal(err)
	}
	d.platform = platform
	ada := user.Details{Name: "Ada Lovelace", Email: "ada@example.org", Password: password}
	if d.user, err = (&user.Service{Table: d.table}).Create(ctx, app.ID, ada); err != nil {
		tb.Fatal(err)
	}
	if d.agent, _, err = (user.Tokens{Table: d.table}).Create(ctx, d.user.ID, user.TokenLife); err != nil {
		tb.Fatal(err)
	}
	if _, d.mailKey, err = (mail.Keys{Table: d.table}).Create(ctx, mail.Key{Name: "bench", Sender: mail.Recipient{Email: "news@example.com"}}); err != nil {
		tb.Fatal(err)
	}
	return d
}

// start starts a program that finds the table at a database's endpoint.
func (d *desk) start(tb testing.TB, name, database string) *process {
	tb.Helper()
	environment := maps.Clone(d.stack.Environ())
	environment["AWS_ENDPOINT_URL_DYNAMODB"] = database
	environment["AWS_ENDPOINT_URL_SESV2"] = d.ses.URL
	environment["ALLOW_PRIVATE_DOWNLOADS"] = "true" // the benchmarks' files are on this machine
	p, _, err := d.program(name).start(environment)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(p.stop)
	return p
}

func (d *desk) program(name string) program {
	return d.programs[slices.IndexFunc(d.programs, func(p program) bool { return p.name == name })]
}

// database is the endpoint of the desk's own database.
func (d *desk) database() string { return d.stack.Environ()["AWS_ENDPOINT_URL_DYNAMODB"] }

// fresh is a name that nothing has yet.
func (d *desk) fresh(what string) string {
	d.serial++
	return fmt.Sprintf("%s-%d", what, d.serial)
}
