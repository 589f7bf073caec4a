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
	"time"

	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/local/ses"
	"frontdesk/internal/table"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// onTenant starts a local stack whose variables include a mail key, as with make run. Commands of a caller then need
// no --key-file.
func onTenant(t *testing.T) *shell {
	t.Helper()
	o := onStack(t)
	key := printed[createdKey](o, "mail-key", "create", "--name", "demo", "--sender", "Demo <demo@example.com>")
	variables := variablesOf(t, o.file)
	variables["MAIL_KEY"] = key.Key
	setVariables(t, o.file, variables)
	return o
}

// of returns a shell for another test on the same stack.
func (o *shell) of(t *testing.T) *shell {
	return &shell{t, o.Stack, o.session, o.file}
}

// write writes a file for a test, and returns its path.
func write(t *testing.T, text string) (path string) {
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

// TestMailSendTakesFlagsFilesAndInput: each case is a command line, and the mail that reaches SES, or the error.
func TestMailSendTakesFlagsFilesAndInput(t *testing.T) {
	o := onTenant(t)
	other := printed[createdKey](o, "mail-key", "create", "--name", "other", "--sender", "other@example.com")
	keyFile := write(t, other.Key+"\n")
	ada := []string{"mail", "send", "--to", "Ada <ada@example.org>", "--subject", "Hi"}
	const inFile = `{"recipients": [{"email": "file@example.org"}], "subject": "of the file", "text": "x"}`
	for name, c := range map[string]struct {
		args     []string
		input    string
		from     string   // "" where it is not sent
		to       []string // the envelope
		contains []string // of the message
		fails    string
	}{
		"flags": {args: more(ada, "--text", "there"), from: "demo@example.com", to: []string{"ada@example.org"},
			contains: []string{"To: Ada <ada@example.org>", "Subject: Hi", "there"}},
		"HTML alone": {args: more(ada, "--html", "<p>there</p>"), from: "demo@example.com",
			to: []string{"ada@example.org"}, contains: []string{"<p>there</p>", "text/plain"}},
		"copies": {args: more(ada, "--text", "x", "--to", "b@example.org", "--cc", "c@example.org", "--bcc",
			"d@example.org"), from: "demo@example.com", contains: []string{"Cc: c@example.org"},
			to: []string{"ada@example.org", "b@example.org", "c@example.org", "d@example.org"}},
		"a sender": {args: more(ada, "--text", "x", "--sender", "Eve <eve@example.com>"), from: "eve@example.com",
			to: []string{"ada@example.org"}, contains: []string{"From: Eve <eve@example.com>"}},
		"another key": {args: more(ada, "--text", "x", "--key-file", keyFile), from: "other@example.com",
			to: []string{"ada@example.org"}},
		"a file": {args: []string{"mail", "send", write(t, inFile)}, from: "demo@example.com",
			to: []string{"file@example.org"}, contains: []string{"Subject: of the file"}},
		"flags that add to what is no array": {
			args:  []string{"mail", "send", "-", "--separate"},
			input: `{"recipients": [{"email": "a@example.org"}], "subject": "x", "text": "x", "config": "allowempty"}`,
			fails: "the file's config must be an array",
		},
		"flags that add to what is no object": {
			args:  []string{"mail", "send", "-", "--header", "X-A: 1"},
			input: `{"recipients": [{"email": "a@example.org"}], "subject": "x", "text": "x", "headers": ["X-B"]}`,
			fails: "the file's headers must be an object",
		},
		"a bracket too many": {
			args: []string{"mail", "send", "-"}, input: inFile + "}", fails: "there is more behind it",
		},
		"an array of mails": {
			args: []string{"mail", "send", "-"}, input: "[" + inFile + "]", fails: "but another value",
		},
		"nothing in the file": {args: []string{"mail", "send", write(t, "")}, fails: "is empty"},
		"a file of Windows": {args: []string{"mail", "send", write(t, "\ufeff"+inFile+"\r\n")},
			from: "demo@example.com", to: []string{"file@example.org"}, contains: []string{"Subject: of the file"}},
		"standard input": {args: []string{"mail", "send", "-"}, input: inFile, from: "demo@example.com",
			to: []string{"file@example.org"}, contains: []string{"Subject: of the file"}},
		// The file says more exactly what is meant than a variable of the environment.
		"a file's own key": {args: []string{"mail", "send", "-"}, from: "other@example.com",
			input: `{"key": "` + other.Key + `", ` + inFile[1:], to: []string{"file@example.org"}},
		"where answers go, a header field and a tag": {
			args: more(ada, "--text", "x", "--reply-to", "Desk <desk@example.com>", "--reply-to", "b@example.org",
				"--header", "X-Ticket: 17", "--tag", "campaign=news"),
			from: "demo@example.com", to: []string{"ada@example.org"},
			contains: []string{"Reply-To: Desk <desk@example.com>,", "b@example.org", "X-Ticket: 17"},
		},
		"files": {
			args: more(ada, "--html", `<img src="cid:file" alt="">`, "--inline", write(t, "of the HTML"),
				"--attach", write(t, "attached")),
			from: "demo@example.com", to: []string{"ada@example.org"},
			contains: []string{"Content-ID: <file>", "b2YgdGhlIEhUTUw=", `filename="file"`, "YXR0YWNoZWQ="},
		},
		// What a flag adds joins what the file has, where a text or an address replaces it.
		"a tag beside those of a file": {
			args:  []string{"mail", "send", "-", "--tag", "b=2", "--attach", write(t, "attached")},
			input: `{"tags": {"a": "1"}, "attachments": [{"filename": "first", "content": "eA=="}], ` + inFile[1:],
			from:  "demo@example.com", to: []string{"file@example.org"},
			contains: []string{`filename="first"`, "YXR0YWNoZWQ="},
		},
		"flags over a file": {args: []string{"mail", "send", "-", "--subject", "of the flag"}, input: inFile,
			from: "demo@example.com", to: []string{"file@example.org"}, contains: []string{"Subject: of the flag"}},

		"an address that is none": {args: []string{"mail", "send", "--to", "ada", "--text", "x"},
			fails: `recipients[0].email "ada" is not a valid e-mail address: it has no @ (invalid_recipient)`},
		"a header field without a colon": {
			args: more(ada, "--text", "x", "--header", "X-Ticket"), fails: "--header \"X-Ticket\" is not of the form",
		},
		"a file that is not there": {args: more(ada, "--text", "x", "--attach", "/nowhere"), fails: "/nowhere"},

		"no text":     {args: ada, fails: "(empty_body)"},
		"no mail":     {args: []string{"mail", "send"}, fails: "expected a mail: --to"},
		"a bad key":   {args: more(ada, "--text", "x", "--key-file", write(t, "fdm_1")), fails: "(unauthorized)"},
		"no key file": {args: more(ada, "--text", "x", "--key-file", "/nowhere"), fails: "--key-file: open /nowhere"},
		"no file":     {args: []string{"mail", "send", "/nowhere"}, fails: "open /nowhere"},
		"no JSON":     {args: []string{"mail", "send", "-"}, input: "hello", fails: "standard input is not one JSON"},
		"a JSON array": {args: []string{"mail", "send", "-"}, input: "[]",
			fails: "standard input is not one JSON object"},
		// JSON of the right syntax, which Go decodes into any map without an error.
		"two mails": {args: []string{"mail", "send", "-"}, input: `{"text": "x"} {"text": "y"}`,
			fails: "there is more behind it"},
		"null": {args: []string{"mail", "send", "-"}, input: "null", fails: "standard input is not one JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := o.of(t)
			o.In = strings.NewReader(c.input)
			out, err := o.frontdesk(c.args...)
			if c.fails != "" {
				expect.Contains(t, "error", fmt.Sprint(err), c.fails)
				expect.Equal(t, "out", out, "")
				return
			}
			sent, ok := mailOf(o.Stack, out)
			if err != nil || !ok {
				t.Fatalf("%v: there is no mail %q", err, out)
			}
			slices.Sort(sent.To)
			raw, _ := o.Outbox().Raw(sent.ID)
			if !slices.Equal(sent.To, c.to) || !strings.Contains(sent.From, c.from) {
				t.Errorf("from %s to %q, want from %s to %q", sent.From, sent.To, c.from, c.to)
			}
			for _, text := range c.contains {
				if !strings.Contains(string(raw), text) {
					t.Errorf("the mail is %s\nwithout %s", raw, text)
				}
			}
		})
	}
}

// TestMailListShowsTheLastMails that the flags select. A mail with --separate is one entry for each recipient.
func TestMailListShowsTheLastMails(t *testing.T) {
	o := onTenant(t)
	o.prints("mail", "send", "--to", "ada@example.org", "--to", "bounce@simulator.amazonses.com", "--subject", "First",
		"--text", "x")
	o.prints("mail", "send", "--to", "ada@example.org", "--to", "b@example.org", "--subject", "Second", "--text", "x",
		"--separate")
	if err := o.Lambda().Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	type listed struct{ Subject, Status string }
	subjects := func(args ...string) (subjects []string) {
		for _, m := range printed[[]listed](o, append([]string{"mail", "list"}, args...)...) {
			subjects = append(subjects, m.Subject)
		}
		return subjects
	}
	today := time.Now().UTC().Format(time.DateOnly)
	for name, c := range map[string]struct{ args, want []string }{
		"all":            {nil, []string{"Second", "Second", "First"}},
		"the newest":     {[]string{"--limit", "1"}, []string{"Second"}},
		"of a status":    {[]string{"--status", "bounced"}, []string{"First"}},
		"to an address":  {[]string{"--recipient", "b@example.org"}, []string{"Second"}},
		"of a day":       {[]string{"--day", today}, []string{"Second", "Second", "First"}},
		"of another day": {[]string{"--day", "2020-01-01"}, nil},
	} {
		expect.Equal(t, name, subjects(c.args...), c.want)
	}
	out := o.prints("mail", "list")
	expect.HasPrefix(t, "printed", out, "SENT ")
	expect.Contains(t, "printed", out, " ada@example.org and 1 more ")
	mustRefuse(o, map[string]refused{
		"too many":      {[]string{"mail", "list", "--limit", "101"}, "limit"},
		"no day":        {[]string{"mail", "list", "--day", "x"}, "day"},
		"another's key": {[]string{"mail", "list", "--key-file", write(t, "fdm_1")}, "unauthorized"},
	})
}

// TestMailSendTells what the API says besides the id. With an Idempotency-Key it sends once. The second and third
// call get the answer of the first, and no second mail is sent.
func TestMailSendTells(t *testing.T) {
	o := onTenant(t)
	var warnings bytes.Buffer
	o.Err = &warnings
	args := []string{"mail", "send", "--to", "a@example.org", "--text", "{WHO}", "--idempotency-key", "once"}
	first := o.prints(args...)
	expect.HasPrefix(t, "warnings", warnings.String(), "warning: text still has placeholders")
	again := o.prints(args...)
	expect.Equal(t, "again", again, first)
	answer := printed[struct{ Status, ID string }](o, args...)
	expect.Equal(t, "answer.Status", answer.Status, "success")
	expect.Equal(t, `answer.ID+"\n"`, answer.ID+"\n", first)
}

// TestMailShowTellsWhatBecameOfAMail: the status, the reason of a bounce, and a note if one answer cannot show
// all events.
func TestMailShowTellsWhatBecameOfAMail(t *testing.T) {
	o := onTenant(t)
	out := o.prints("mail", "send", "--to", "bounce@simulator.amazonses.com", "--subject", "Hi", "--text", "x")
	id := strings.TrimSpace(out)
	if err := o.Lambda().Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	shown := printed[struct{ ID, Status string }](o, "mail", "show", id)
	expect.Equal(t, "shown.ID", shown.ID, id)
	expect.Equal(t, "shown.Status", shown.Status, "bounced")
	text, err := o.frontdesk("mail", "show", id)
	for _, want := range []string{id + "\n", "status   bounced\n", "subject  Hi\n", "550 5.1.1 user unknown", "sent"} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%v: printed %s\nwithout %s", err, text, want)
		}
	}
	const more = "there are earlier events"
	if strings.Contains(text, more) {
		t.Errorf("printed %s", text)
	}
	grow(o, id)
	text = o.prints("mail", "show", id)
	expect.Equal(t, "strings.Count(text, more)", strings.Count(text, more), 1)
	mustRefuse(o, map[string]refused{
		"no such mail": {[]string{"mail", "show", "0100"}, "nothing is known of it yet (not_found)"},
		"no id":        {[]string{"mail", "show"}, `"<id>"`},
		"a bad key":    {[]string{"mail", "show", id, "--key-file", write(t, "x")}, "(unauthorized)"},
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
	o := onTenant(t)
	key := printed[createdKey](o, "mail-key", "create", "--name", "other", "--sender", "other@example.com")
	for name, args := range map[string][]string{
		"a mail":               {"mail", "send", "-"},
		"addresses to be left": {"unsubscribes", "import", key.ID.String()},
	} {
		t.Run(name, func(t *testing.T) {
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
}

// TestLogsShowTheLastRequestsAndFollow: --last limits what was before, and --follow shows each new request once. The
// request that comes while it follows is printed after the earlier ones, and none is printed twice.
func TestLogsShowTheLastRequestsAndFollow(t *testing.T) {
	o := onStack(t)
	type logged struct {
		Path     string
		Status   int
		Function string
		Lines    []string
	}
	for range 2 {
		o.Call(t, "GET", "/openapi.json", nil, nil)
	}
	out := o.prints("logs", "--last", "1")
	expect.Equal(t, `strings.Count(out, " 200 GET /openapi.json ")`, strings.Count(out, " 200 GET /openapi.json "), 1)
	expect.Contains(t, "out", out, " DocsFunction ")
	mustRefuse(o, map[string]refused{"fewer than none": {[]string{"logs", "--last=-1"}, "--last must not be negative"}})

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
			o.Call(t, "GET", "/docs", nil, nil)
		}
		var got logged
		if !lines.Scan() || json.Unmarshal(lines.Bytes(), &got) != nil {
			t.Fatalf("printed %q; %v", lines.Text(), lines.Err())
		}
		expect.Equal(t, "got.Path", got.Path, want)
		expect.Equal(t, "got.Status", got.Status, 200)
		expect.Equal(t, "got.Function", got.Function, "DocsFunction")
		expect.AtLeast(t, "len(got.Lines)", len(got.Lines), 1)
	}
	stop()
	go io.Copy(io.Discard, reader)
	if err := <-ended; err != nil {
		t.Errorf("stopped with %v", err)
	}
}

// TestStatusAndOpenOfALocalStack: status shows every address and count, and open prints the address of each page.
func TestStatusAndOpenOfALocalStack(t *testing.T) {
	o := onTenant(t)
	type status struct {
		Stack, State, API, Docs, Console, Table string
		Functions, Faults                       []string
		Counts                                  map[string]int
	}
	o.Call(t, "GET", "/openapi.json", nil, nil)
	got := printed[status](o, "status")
	counts := map[string]int{
		"mail keys": 1, "platform apps": 0, "portals": 0, "mails in the outbox": 0, "last requests": 2, // with its own
	}
	expect.Equal(t, "got.Stack", got.Stack, o.Environ()["STACK_NAME"])
	expect.Equal(t, "got.State", got.State, "CREATE_COMPLETE")
	expect.Equal(t, "got.API", got.API, o.URL())
	expect.Equal(t, "got.Docs", got.Docs, o.URL()+"/docs")
	expect.Equal(t, "got.Console", got.Console, o.URL()+"/_local/")
	expect.Equal(t, "got.Table", got.Table, o.Environ()["TABLE_NAME"])
	expect.Equal(t, `got.Functions has "SendMailFunction"`, slices.Contains(got.Functions, "SendMailFunction"), true)
	expect.Equal(t, "got.Faults", got.Faults, nil)
	expect.Equal(t, "got.Counts", got.Counts, counts)
	text, err := o.frontdesk("status")
	for _, want := range []string{o.URL() + "/docs\n", "\nmail keys            1\n"} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%v: printed %s\nwithout %s", err, text, want)
		}
	}
	for page, want := range map[string]string{"": "/_local/", "console": "/_local/", "docs": "/docs"} {
		args := slices.DeleteFunc([]string{"open", page}, func(s string) bool { return s == "" })
		what := fmt.Sprintf("%q: ", args)
		out := o.prints(args...)
		expect.Equal(t, what+"out", out, o.URL()+want+"\n")
	}
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
			expect.Equal(t, "out", out.String(), "https://api.example.com/docs\n")
			expect.Equal(t, "said", said.String(), c.said)
		})
	}
	text, err := os.ReadFile(opened)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "text", string(text), "https://api.example.com/docs\n")
}

// TestADeployedStack: the tool finds it by its name, with the operator's credentials. Here these, and the addresses,
// are those of a local stack's account. TABLE_NAME names another table, which --stack must override.
func TestADeployedStack(t *testing.T) {
	stack := fixture.Start(t)
	for name, value := range stack.Environ() {
		t.Setenv(name, value)
	}
	t.Setenv("TABLE_NAME", "not-this-one")
	name := stack.Environ()["STACK_NAME"]
	deployed := func(args ...string) (string, error) {
		return frontdesk(t, append([]string{"--stack", name}, args...)...)
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
		"doctor":           {[]string{"doctor"}, "right    stack: " + name + " is CREATE_COMPLETE\n"},
		"another table":    {[]string{"--table-name", "other", "mail-key", "list"}, "table other at http://127.0.0.1:"},
		"no such stack":    {[]string{"--stack", "other", "mail-key", "list"}, "there is no stack other in us-east-1"},
		"no API of that":   {[]string{"--stack", "other", "open"}, "there is no stack other in us-east-1"},
		"no table of that": {[]string{"--stack", "other", "status"}, "not every part of the stack answers"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := deployed(c.args...)
			if err != nil {
				out += err.Error()
			}
			if !strings.Contains(out, c.want) {
				t.Errorf("it said %s\nwant %s", out, c.want)
			}
		})
	}
	// demo.env also sets endpoints and credentials, so every call would go to the local stack.
	t.Run("in a terminal that has the local stack's variables", func(t *testing.T) {
		t.Setenv("CONSOLE_URL", stack.URL()+"/_local")
		_, err := deployed("status")
		expect.Contains(t, "error", fmt.Sprint(err), "take a new terminal")
	})
	stack.Account().Change(deny("cloudformation:DescribeStacks"))
	_, err = deployed("mail-key", "list")
	expect.HasPrefix(t, "error", fmt.Sprint(err), "stack "+name+" at http://127.0.0.1:")
	expect.HasSuffix(t, "error", fmt.Sprint(err),
		": AccessDenied: not authorized to perform: cloudformation:DescribeStacks")
}
