// Package demo makes the tenant of a local stack: it creates credentials, writes them where others read them, and
// prints what to do with them. The tenant is what a deployed stack gets from its operator: a mail key, a platform app
// with a user, and a portal with a member.
package demo

import (
	"context"
	"fmt"
	"maps"
	"net/mail"
	"os"
	"path/filepath"
	"slices"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/frontdesk/target"
	"frontdesk/internal/service/mail/mailkey"
)

// Tenant uses a local stack from its start: it has the credentials, and the addresses of the stack.
type Tenant struct {
	Variables map[string]string // by name
	Agent     id.ID             // the user who is signed in
	files     Files
}

// Files are the paths of files that hold the variables as shell assignments.
type Files struct {
	Saved  string // among the data, for the next start; "" for none
	Public string // there as long as the stack runs; "" for none
}

// demoSender may send as its domain, which is reserved for examples (RFC 2606).
var demoSender = mail.Address{Name: "Frontdesk Demo", Address: "demo@example.com"}

// Provision creates the stack's tenant. The API is at base. Credentials from an earlier start are kept if they
// still work. It works on the table as an operator does, and not through the API, which has no way to make the
// first credentials.
func Provision(ctx context.Context, stack *local.Stack, base string, f Files) (*Tenant, error) {
	d := &Tenant{files: f, Variables: stack.Environ()}
	d.Variables["BASE_URL"], d.Variables["CONSOLE_URL"] = base, stack.URL()+"/_local"
	// The credentials of the last start may still be in somebody's terminal or program.
	saved := readAssignments(f.Saved)
	t, err := table.OpenKnown(ctx, stack.Operator(), stack.Environ()["TABLE_NAME"])
	if err != nil {
		return nil, err
	}
	d.Variables["MAIL_KEY"], err = demoMailKey(ctx, mailkey.Keys{Table: t}, saved["MAIL_KEY"])
	if err != nil {
		return nil, err
	}
	d.Agent, err = d.provisionUser(ctx, t, saved)
	if err != nil {
		return nil, err
	}
	if err := d.provisionPortal(ctx, t, d.Agent); err != nil {
		return nil, err
	}
	if f.Saved == "" {
		return d, nil
	}
	return d, writeAssignments(f.Saved, d.Variables)
}

// Publish writes the variables where others read them, once everything is ready. It returns a function that removes
// the file, which must not lead anybody to a stack that has ended. That function leaves a file that another stack has
// written since.
func (d *Tenant) Publish() (unpublish func(), err error) {
	path := d.files.Public
	if path == "" {
		return func() {}, nil
	}
	return func() {
		if maps.Equal(readAssignments(path), d.Variables) {
			os.Remove(path)
		}
	}, writeAssignments(path, d.Variables)
}

// demoMailKey returns the key of the last start if the table still knows it, and otherwise a new one: somebody may
// have removed the data, or revoked the key.
func demoMailKey(ctx context.Context, keys mailkey.Keys, saved string) (string, error) {
	if _, err := keys.Authenticate(ctx, saved); err == nil {
		return saved, nil
	}
	_, text, err := keys.Create(ctx, mailkey.Key{Name: "demo", Sender: demoSender})
	return text, err
}

// readAssignments reads a file that [writeAssignments] wrote. A missing file counts as empty.
func readAssignments(path string) map[string]string {
	values, _ := target.ReadVariables(path)
	return values
}

// writeAssignments writes shell assignments that only their owner may read. It replaces the file in one step, so that
// a program that waits for the file finds all of it. No value has a quotation mark: they are addresses, names and
// credentials of this program's own making.
func writeAssignments(path string, values map[string]string) error {
	var text []byte
	for _, name := range slices.Sorted(maps.Keys(values)) {
		text = fmt.Appendf(text, "%s='%s'\n", name, values[name])
	}
	return writeFile(path, text)
}

// writeFile writes a file that only its owner may read, in one step. The temporary file is in the same folder,
// because a rename between two file systems is no single step.
func writeFile(path string, content []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // after a success it is gone already
	if _, err := temporary.Write(content); err != nil {
		return err
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}

// Welcome prints where everything is, and commands to paste.
func (d *Tenant) Welcome(p commandline.Printer) {
	base := d.Variables["BASE_URL"]
	p.Printf(`frontdesk runs at %[1]s

  console             %[1]s/_local/
  API documentation   %[1]s/docs
  captured mails      %[1]s/_local/outbox
  demo credentials    %[2]s

In another terminal, send a mail and look at it:

  set -a; . %[2]s; set +a
  curl -s "$BASE_URL/sender.php" -d '{
    "key": "'"$MAIL_KEY"'",
    "recipients": [{"email": "ada@example.org", "name": "Ada"}],
    "subject": "Hello from frontdesk",
    "html": "<h1>Hello, {WHO}</h1><p>This is a first mail.</p>",
    "placeholders": [{"name": "who", "value": "Ada"}]
  }'
  curl -s "$BASE_URL/_local/outbox"

Create a user, and get a link by which it signs in:

  USER_ID=$(curl -s "$BASE_URL/platform/api/v1/users" -H "api_access_token: $PLATFORM_TOKEN" -d '{
    "name": "Ada Lovelace", "email": "ada@example.org", "password": "correct horse"
  }' | sed 's/.*"id":\([0-9]*\).*/\1/')
  curl -s "$BASE_URL/platform/api/v1/users/$USER_ID/login" -H "api_access_token: $PLATFORM_TOKEN"

Ctrl-C stops it. All state is under .local/data; removing that folder starts afresh.
`, base, d.files.Public)
}

// WelcomeEphemeral prints the address of the API or, without a public file, all variables. With a public file nothing
// else is printed: a suite reads that.
func (d *Tenant) WelcomeEphemeral(p commandline.Printer) {
	if d.files.Public == "" {
		for _, name := range slices.Sorted(maps.Keys(d.Variables)) {
			p.Printf("%s='%s'\n", name, d.Variables[name])
		}
		return
	}
	p.Printf("frontdesk runs at %s\n", d.Variables["BASE_URL"])
}
