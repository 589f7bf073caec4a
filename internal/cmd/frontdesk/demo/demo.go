package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"frontdesk/internal/local"
	"frontdesk/internal/mail/mailkey"
)

// demo is the tenant that a local stack has from its start: its credentials, and where the stack is.
type demo struct {
	path      string            // of the file that holds the variables as shell assignments
	variables map[string]string // by name
}

// demoSender may send as its domain, which is reserved (RFC 2606).
var demoSender = mail.Address{Name: "Frontdesk Demo", Address: "demo@example.com"}

// provisionDemo gives the stack its tenant and writes the variables to path. The API is at base. Credentials from an
// earlier start that are still good are kept.
func provisionDemo(ctx context.Context, stack *local.Stack, base, path string) (*demo, error) {
	d := &demo{path: path, variables: stack.Environ()}
	d.variables["BASE_URL"], d.variables["CONSOLE_URL"] = base, stack.URL()+"/_local"
	kept, t := readAssignments(path), demoTable(stack)

	var err error
	if d.variables["MAIL_KEY"], err = demoMailKey(ctx, mailkey.Keys{Table: t}, kept["MAIL_KEY"]); err != nil {
		return nil, err
	}
	agent, err := d.provisionUser(ctx, t, kept)
	if err != nil {
		return nil, err
	}
	if err := d.provisionPortal(ctx, t, agent); err != nil {
		return nil, err
	}
	return d, writeAssignments(path, d.variables)
}

func demoMailKey(ctx context.Context, keys mailkey.Keys, kept string) (string, error) {
	if _, err := keys.Authenticate(ctx, kept); err == nil {
		return kept, nil
	}
	_, text, err := keys.Create(ctx, mailkey.Key{Name: "demo", Sender: demoSender})
	return text, err
}

// readAssignments reads a file that writeAssignments wrote; a missing file is empty.
func readAssignments(path string) map[string]string {
	values := map[string]string{}
	file, err := os.Open(path)
	if err != nil {
		return values
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), "="); ok {
			values[name] = strings.Trim(value, "'")
		}
	}
	return values
}

// writeAssignments writes shell assignments, readable by their owner alone, and replaces the file in one step: a
// program that waits for the file finds all of it.
func writeAssignments(path string, values map[string]string) error {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&text, "%s='%s'\n", name, values[name])
	}
	return writeFile(path, []byte(text.String()))
}

// writeFile writes a file that its owner alone may read, in one step.
func writeFile(path string, content []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // gone already when all went well
	if _, err := temporary.Write(content); err != nil {
		return err
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}

// welcome prints where everything is, and what to paste.
func (d *demo) welcome(w io.Writer) {
	base := d.variables["BASE_URL"]
	fmt.Fprintf(w, `frontdesk runs at %[1]s

  console             %[1]s/_local/
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
`, base, d.path)
}
