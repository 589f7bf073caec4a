package bench

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/user"
)

// testbed is a table with a tenant, and the services that functions call.
type testbed struct {
	*fixture.Stack // its functions are not measured
	fixture.Tenant
	programs []program
	ses      *ses
	serial   int // counts the names of uniqueName
}

// newTestbed starts the database and an SES, and builds all programs. The tenant's agent has a password with a
// full hash.
func newTestbed(tb testing.TB) *testbed {
	tb.Helper()
	bed := &testbed{programs: programs(tb), ses: newSES(tb)}
	bed.Stack = fixture.StartBootstraps(tb, func(o *local.Options) {
		o.Builds = filepath.Join(root, ".local", "functions")
	})
	bed.Tenant = bed.NewTenant(tb)
	// Tests hash passwords at next to no cost. Here a sign-in must pay for the real hash, which is most of its time.
	users, ctx := &user.Service{Table: bed.Table}, context.Background()
	var err error
	if bed.Agent, err = users.SetPassword(ctx, bed.Agent.ID, fixture.Password); err != nil {
		tb.Fatal(err)
	}
	if bed.AgentToken, _, err = (user.Tokens{Table: bed.Table}).Create(ctx, bed.Agent.ID, user.TokenLife); err != nil {
		tb.Fatal(err)
	}
	return bed
}

// start starts a program that finds the table at a database's endpoint, and stops it when the benchmark ends.
func (bed *testbed) start(tb testing.TB, name, database string) *process {
	tb.Helper()
	p, _ := bed.startProgram(tb, bed.program(name), bed.beside(database))
	tb.Cleanup(p.stop)
	return p
}

// services are the addresses of DynamoDB and SES for a program, and the variables by which it finds the roots that
// it trusts.
type services struct {
	database, ses string
	roots         map[string]string
}

// beside returns services on this machine, over plain HTTP.
func (bed *testbed) beside(database string) services {
	return services{database: database, ses: bed.ses.URL}
}

// startProgram starts a program, and returns the time until it asked for an event. The caller stops it.
func (bed *testbed) startProgram(tb testing.TB, p program, s services) (*process, time.Duration) {
	tb.Helper()
	environment := maps.Clone(bed.Environ())
	environment["AWS_ENDPOINT_URL_DYNAMODB"] = s.database
	environment["AWS_ENDPOINT_URL_SESV2"] = s.ses
	environment["MAIL_LOG_DAYS"] = "30"
	environment["ALLOW_PRIVATE_DOWNLOADS"] = "true" // the benchmarks' files are on this machine
	maps.Copy(environment, s.roots)
	started, ready, err := p.start(environment)
	if err != nil {
		tb.Fatal(err)
	}
	return started, ready
}

func (bed *testbed) program(name string) program {
	return bed.programs[slices.IndexFunc(bed.programs, func(p program) bool { return p.name == name })]
}

// database returns the endpoint of the testbed's database itself, without the AWS proxy in front of it that operators
// use.
func (bed *testbed) database() string { return *bed.Operator().BaseEndpoint }

// uniqueName returns a name that it has not returned before.
func (bed *testbed) uniqueName(kind string) string {
	bed.serial++
	return fmt.Sprintf("%s-%d", kind, bed.serial)
}
