package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local/ses"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// withKey gives the stack's variables a mail key, as make run does. Commands of a caller then need no --key-file.
func (o *shell) withKey() *shell {
	o.Helper()
	key := printed[createdKey](o, "mail-key", "create", "--name", "demo", "--sender", "Demo <demo@example.com>")
	variables := variablesOf(o.TB, o.file)
	variables["MAIL_KEY"] = key.Key
	setVariables(o.TB, o.file, variables)
	return o
}

// of returns a shell for another test on the same stack.
func (o *shell) of(t testing.TB) *shell {
	return &shell{t, o.Stack, o.session, o.file}
}

// write writes a file for a test, and returns its path.
func write(t testing.TB, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// more returns a command line with further arguments. It shares no memory with the old one. Two cases that append to
// the same slice could otherwise write into each other's.
func more(args []string, further ...string) []string { return slices.Concat(args, further) }

// mailOf returns the mail of the outbox whose id was printed.
func mailOf(stack *fixture.Stack, printed string) (ses.Mail, bool) {
	mails := stack.Outbox().Mails()
	i := slices.IndexFunc(mails, func(m ses.Mail) bool { return m.ID+"\n" == printed })
	if i < 0 {
		return ses.Mail{}, false
	}
	return mails[i], true
}

// TestMailShowSaysThatThereAreEarlierEvents, if one answer cannot show all of them.
func TestMailShowSaysThatThereAreEarlierEvents(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t).withKey()
		id := strings.TrimSpace(o.prints("mail", "send", "--to", "ada@example.org", "--subject", "Hi", "--text", "x"))
		if err := o.Lambda().Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		const more = "there are earlier events"
		expect.Lacks(t, o.prints("mail", "show", id), more, "printed")
		grow(o, id)
		expect.Equal(t, strings.Count(o.prints("mail", "show", id), more), 1, "notes")
	})
}

// grow writes earlier events of a mail into the table, more than one answer shows. Each has 350 KB, near DynamoDB's
// limit of 400 KB for an item, and one Query reads 1 MB at most.
func grow(o *shell, mailID string) {
	o.Helper()
	var items []dynamo.Item
	err := o.Table.Get("PK", table.MailEvent(mailID, "").PK).All(o.Context(), &items)
	if err != nil || len(items) == 0 {
		o.Fatalf("the mail has %d events: %v", len(items), err)
	}
	item := items[0]
	item["detail"] = &types.AttributeValueMemberS{Value: strings.Repeat("x", 350<<10)}
	for i := range 3 {
		item["SK"] = &types.AttributeValueMemberS{Value: table.MailEvent(mailID, fmt.Sprintf("2026-01-01#%d", i)).SK}
		if err := o.Table.Put(item).Run(o.Context()); err != nil {
			o.Fatal(err)
		}
	}
}

// TestSignalsEndAReadOfStandardInput: a person who has begun to type, or a pipe that stays open, does not hold up a
// Ctrl-C or a SIGTERM.
func TestSignalsEndAReadOfStandardInput(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t).withKey()
		key := printed[createdKey](o, "mail-key", "create", "--name", "other", "--sender", "other@example.com")
		for name, args := range map[string][]string{
			"a mail":               {"mail", "send", "-"},
			"addresses to be left": {"unsubscribes", "import", key.ID.String()},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				ctx, stop := context.WithCancel(t.Context())
				reader, writer := io.Pipe()
				defer writer.Close()
				s := o.session
				s.In = reader
				ended := make(chan error, 1)
				go func() { ended <- interrupted(ctx, s.run(ctx, append([]string{"--local=" + o.file}, args...))) }()
				if _, err := writer.Write([]byte("{")); err != nil { // returns when the command has read it
					t.Fatal(err)
				}
				stop()
				if err := <-ended; !errors.Is(err, errInterrupted) {
					t.Errorf("ended with %v", err)
				}
			})
		}
	})
}

// TestLogsFollow: --follow shows each new request once. The request that comes while it follows is printed after the
// earlier ones, and none is printed twice.
func TestLogsFollow(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t)
		type logged struct {
			Path     string
			Status   int
			Function string
			Lines    []string
		}
		for range 2 {
			o.Call(t, fixture.To("getContract"), nil, nil)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		reader, writer := io.Pipe()
		s := o.session
		s.Out = writer
		ended := make(chan error, 1)
		go func() {
			err := s.run(ctx, []string{"--local=" + o.file, "--json", "logs", "-f", "--last", "2"})
			writer.CloseWithError(err)
			ended <- err
		}()
		lines := bufio.NewScanner(reader)
		for i, want := range []string{"/openapi.json", "/openapi.json", "/docs"} {
			if i == 2 {
				o.Call(t, fixture.To("getDocsPage"), nil, nil)
			}
			var got logged
			if !lines.Scan() || json.Unmarshal(lines.Bytes(), &got) != nil {
				t.Fatalf("printed %q; %v", lines.Text(), lines.Err())
			}
			expect.Equal(t, got.Path, want)
			expect.Equal(t, got.Status, 200)
			expect.Equal(t, got.Function, "DocsFunction")
			expect.AtLeast(t, len(got.Lines), 1)
		}
		stop()
		go io.Copy(io.Discard, reader)
		if err := <-ended; err != nil {
			t.Errorf("stopped with %v", err)
		}
	})
}

// TestOpenShowsABrowser if the desktop has one. The command succeeds even if the browser fails. A script of the test
// stands in for the browser, under the names that Linux and macOS have for it.
func TestOpenShowsABrowser(t *testing.T) {
	bin := t.TempDir()
	opened := filepath.Join(bin, "opened")
	t.Setenv("PATH", bin+":/bin:/usr/bin")
	t.Setenv("DISPLAY", ":0")
	t.Setenv("BASE_URL", "https://api.example.com")
	for name, c := range map[string]struct{ script, said string }{
		"a browser":             {"echo \"$1\" > '" + opened + "'", ""},
		"a browser that cannot": {"exit 3", "no browser was opened: xdg-open: exit status 3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, command := range []string{"xdg-open", "open"} {
				script := []byte("#!/bin/sh\n" + c.script + "\n")
				if err := os.WriteFile(filepath.Join(bin, command), script, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			var out, said bytes.Buffer
			s := newSession(&out)
			s.Err = &said
			err := s.run(t.Context(), []string{"open"})
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, out.String(), "https://api.example.com/docs\n")
			expect.Equal(t, said.String(), c.said)
		})
	}
	text, err := os.ReadFile(opened)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, string(text), "https://api.example.com/docs\n")
}

// TestADeployedStack: the tool finds it by its name, with the operator's credentials. Here these, and the addresses,
// are those of a local stack's account. TABLE_NAME names another table, which --stack must override.
func TestADeployedStack(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t)
		for name, value := range stack.Environ() {
			t.Setenv(name, value)
		}
		t.Setenv("TABLE_NAME", "not-this-one")
		name := stack.Environ()["STACK_NAME"]
		s := shellOf(t, stack).session
		deployed := func(args ...string) (string, error) {
			var out bytes.Buffer
			s.Out = &out
			err := s.run(t.Context(), append([]string{"--stack", name}, args...))
			return out.String(), err
		}
		created, err := deployed("--json", "mail-key", "create", "--name", "n", "--sender", "a@example.com")
		if err != nil {
			t.Fatal(err)
		}
		var key createdKey
		if err := json.Unmarshal([]byte(created), &key); err != nil {
			t.Fatal(err)
		}
		t.Setenv("MAIL_KEY", key.Key)
		mail, err := deployed("mail", "send", "--to", "b@example.org", "--text", "x")
		_, ok := mailOf(stack, mail)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			t.Fatalf("%v: there is no mail %q", err, mail)
		}
		for name, c := range map[string]struct {
			args []string
			want string // of what is printed, or of the error
		}{
			"status": {[]string{"status"}, stack.URL() + "\n"},
			"open":   {[]string{"open"}, stack.URL() + "/docs\n"},
			"its console": {[]string{"open", "console"},
				"a deployed stack has no console: give --local, or open docs"},
			"its log is CloudWatch's": {[]string{"logs", "-f"}, "aws logs tail --follow $(aws cloudformation " +
				"describe-stack-resource --stack-name " + name + " --logical-resource-id LogGroup"},
			"doctor": {[]string{"doctor"}, "right    stack: " + name + " is CREATE_COMPLETE\n"},
			"another table": {
				[]string{"--table-name", "other", "mail-key", "list"}, "table other at http://127.0.0.1:",
			},
			"no such stack": {
				[]string{"--stack", "other", "mail-key", "list"}, "there is no stack other in us-east-1",
			},
			"no API of that":   {[]string{"--stack", "other", "open"}, "there is no stack other in us-east-1"},
			"no table of that": {[]string{"--stack", "other", "status"}, "not every part of the stack answers"},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				out, err := deployed(c.args...)
				if err != nil {
					out += err.Error()
				}
				if !strings.Contains(out, c.want) {
					t.Errorf("it said %s\nwant %s", out, c.want)
				}
			})
		}
		stack.Account().Change(deny("cloudformation:DescribeStacks"))
		_, err = deployed("mail-key", "list")
		expect.HasPrefix(t, fmt.Sprint(err), "stack "+name+" at http://127.0.0.1:")
		expect.HasSuffix(t, fmt.Sprint(err), ": AccessDenied: not authorized to perform: cloudformation:DescribeStacks")
		// A terminal that has the local stack's variables has its endpoints and credentials, too. Every call would go
		// there.
		t.Setenv("CONSOLE_URL", stack.URL()+"/_local")
		_, err = deployed("status")
		expect.Contains(t, fmt.Sprint(err), "take a new terminal")
	})
}
