package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/base/table/itemjson"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/fixture"

	"github.com/guregu/dynamo/v2"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the files of testdata/script. Each says what an operator types, what the tool prints, and with
// which status it ends. The scripts share one database, in which each has an empty table of its own, and run at the
// same time. They have the variables of the local stack, as in a shell that has read demo.env, and these commands
// beside those of testscript:
//
//	frontdesk …                        the tool without input; the lines of all scripts share processes
//	exec frontdesk …                   the tool in a process of its own, with the script's input
//	exits STATUS frontdesk …           the tool, which ends with this status
//	prints TEXT                        the last command printed this line, and nothing else; or the file of this name
//	says TEXT                          the same of standard error, without the progress of a slow machine
//	capture NAME PATTERN               set a variable to the pattern's group in what the last command printed
//	put FILE                           put items into the table, past all rules; one a line, in DynamoDB's JSON
//	set PK SK ATTRIBUTES               set attributes of an item that exists, past all rules
//	remove PK SK                       delete an item that exists
//	scan FILE                          write the items of the table into a file
//	stack [PARAMETER=VALUE …]          start the API of the table; its functions start when they are called
//	request METHOD PATH [NAME:VALUE …] [BODY]   send a request with these header fields; print status and body
//	outbox ID                          print sender, recipients and message of a mail that SES got
//	lose FILE                          put the file's lines into the queue LostEvents, as events of mails
//	settle                             wait until the functions have handled all events of mails
//
// The tool gets the variables that are set when a script begins, with their current values.
//
// In what prints and says compare, variables have their values, and ... stands for any text within a line.
func TestScripts(t *testing.T) {
	t.Parallel()
	shared := fixture.StartBootstraps(t, fixture.WithoutFunctions(t), onDatabase)
	typing := startTyping(t)
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			s := &script{TB: e.T().(testing.TB), typing: typing}
			s.table = shared.Table.WithName(shared.Table.Name() + "-" + filepath.Base(e.WorkDir))
			if _, err := s.table.Create(s.Context()); err != nil {
				return err
			}
			e.Values[scriptKey{}] = s
			for name, value := range variablesFor(shared) {
				e.Setenv(name, value)
			}
			e.Setenv("TABLE_NAME", s.table.Name())
			e.Setenv("MAIL_KEY", "")
			e.Setenv("AWS_ENDPOINT_URL", "")
			e.Setenv("GOGC", "off") // a third of the time of so short a process is garbage collection
			for _, variable := range e.Vars {
				name, _, _ := strings.Cut(variable, "=")
				s.variables = append(s.variables, name)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"frontdesk": scriptFrontdesk,
			"exits":     scriptExits,
			"prints":    scriptPrints,
			"says":      scriptSays,
			"capture":   scriptCapture,
			"put":       scriptPut,
			"set":       scriptSet,
			"remove":    scriptRemove,
			"scan":      scriptScan,
			"stack":     scriptStack,
			"request":   scriptRequest,
			"outbox":    scriptOutbox,
			"lose":      scriptLose,
			"settle":    scriptSettle,
		},
	})
}

// variablesFor returns what demo.env has of a stack.
func variablesFor(stack *fixture.Stack) map[string]string {
	variables := stack.Environ()
	variables["BASE_URL"], variables["CONSOLE_URL"] = stack.URL(), stack.URL()+"/_local"
	return variables
}

// script is what the commands of one script share.
type script struct {
	testing.TB
	table     table.Table
	stack     *fixture.Stack // its own; nil for none
	variables []string       // names of those that the tool gets
	typing    typing
}

type scriptKey struct{}

// scriptOf returns what belongs to a script. A command takes from least to most arguments, and no "!".
func scriptOf(ts *testscript.TestScript, neg bool, args []string, least, most int, usage string) *script {
	if neg || len(args) < least || len(args) > most {
		ts.Fatalf("usage: %s", usage)
	}
	return ts.Value(scriptKey{}).(*script)
}

// tool carries out a command line of the tool, and returns its status.
func (s *script) tool(ts *testscript.TestScript, args []string) int {
	line := typedLine{Args: args, Dir: ts.MkAbs(".")}
	for _, name := range s.variables {
		line.Environ = append(line.Environ, name+"="+ts.Getenv(name))
	}
	result, err := s.typing.run(line)
	ts.Check(err)
	fmt.Fprint(ts.Stdout(), result.Stdout)
	fmt.Fprint(ts.Stderr(), result.Stderr)
	return result.Status
}

func scriptFrontdesk(ts *testscript.TestScript, neg bool, args []string) {
	s := scriptOf(ts, false, args, 0, len(args), "frontdesk …")
	if status := s.tool(ts, args); (status != 0) != neg {
		ts.Fatalf("it ended with status %d", status)
	}
}

func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	s := scriptOf(ts, neg, args, 2, len(args), "exits STATUS frontdesk …")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if args[1] != "frontdesk" {
		ts.Fatalf("usage: exits STATUS frontdesk …")
	}
	if got := s.tool(ts, args[2:]); got != want {
		ts.Fatalf("it ended with status %d, want %d", got, want)
	}
}

func scriptPrints(ts *testscript.TestScript, neg bool, args []string) {
	scriptOf(ts, neg, args, 1, 1, "prints TEXT, or a file")
	scriptMustBe(ts, "standard output", ts.ReadFile("stdout"), args[0])
}

// progress matches a line of a command that takes long.
var progress = regexp.MustCompile(`(?m)^\d+ .*, \d+/s(, .* to go)?\n`)

func scriptSays(ts *testscript.TestScript, neg bool, args []string) {
	scriptOf(ts, neg, args, 1, 1, "says TEXT, or a file")
	scriptMustBe(ts, "standard error", progress.ReplaceAllString(ts.ReadFile("stderr"), ""), args[0])
}

// scriptMustBe compares an output with a line, or with the file of this name.
func scriptMustBe(ts *testscript.TestScript, name, got, line string) {
	want, err := os.ReadFile(ts.MkAbs(line))
	if err != nil {
		want = []byte(line + "\n")
	}
	text := os.Expand(string(want), ts.Getenv)
	pattern := strings.ReplaceAll(regexp.QuoteMeta(text), `\.\.\.`, `.*`)
	if !regexp.MustCompile(`\A` + pattern + `\z`).MatchString(got) {
		ts.Fatalf("%s is\n%s\nwant\n%s", name, got, text)
	}
}

func scriptCapture(ts *testscript.TestScript, neg bool, args []string) {
	scriptOf(ts, neg, args, 2, 2, "capture NAME PATTERN")
	found := regexp.MustCompile(`(?m)` + args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) != 2 {
		ts.Fatalf("standard output has no %s with one group", args[1])
	}
	ts.Setenv(args[0], found[1])
}

func scriptPut(ts *testscript.TestScript, neg bool, args []string) {
	s := scriptOf(ts, neg, args, 1, 1, "put FILE")
	fixture.PutAll(s, s.table, itemsIn(s, os.Expand(ts.ReadFile(args[0]), ts.Getenv)))
}

// itemsIn decodes items, one a line, in DynamoDB's JSON.
func itemsIn(t testing.TB, lines string) (items []dynamo.Item) {
	t.Helper()
	for line := range strings.Lines(lines) {
		var item itemjson.Document
		if err := item.UnmarshalJSON([]byte(line)); err != nil {
			t.Fatal(err)
		}
		items = append(items, dynamo.Item(item))
	}
	return items
}

func scriptSet(ts *testscript.TestScript, neg bool, args []string) {
	s := scriptOf(ts, neg, args, 3, 3, "set PK SK ATTRIBUTES")
	update := s.table.UpdateItem(table.Key{PK: args[0], SK: args[1]}).If("attribute_exists(PK)")
	var attributes itemjson.Document
	ts.Check(attributes.UnmarshalJSON([]byte(args[2])))
	for name, value := range attributes {
		update.Set(name, value)
	}
	ts.Check(update.Run(s.Context()))
}

func scriptRemove(ts *testscript.TestScript, neg bool, args []string) {
	s := scriptOf(ts, neg, args, 2, 2, "remove PK SK")
	key := table.Key{PK: args[0], SK: args[1]}
	ts.Check(s.table.DeleteItem(key).If("attribute_exists(PK)").Run(s.Context()))
}

func scriptScan(ts *testscript.TestScript, neg bool, args []string) {
	s := scriptOf(ts, neg, args, 1, 1, "scan FILE")
	var lines []string
	for _, item := range itemsOf(s, s.table) {
		line, err := itemjson.Document(item).MarshalJSON()
		ts.Check(err)
		lines = append(lines, string(line)+"\n")
	}
	slices.Sort(lines)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(lines, "")), 0o600))
}

func scriptStack(ts *testscript.TestScript, neg bool, args []string) {
	s := scriptOf(ts, neg, args, 0, len(args), "stack [PARAMETER=VALUE …]")
	s.stack = fixture.StartBootstraps(s, onDatabase, func(o *local.Options) {
		o.Parameters = map[string]string{"ExistingTableName": s.table.Name()}
		for _, arg := range args {
			name, value, _ := strings.Cut(arg, "=")
			o.Parameters[name] = value
		}
	})
	for name, value := range variablesFor(s.stack) {
		ts.Setenv(name, value)
	}
}

func scriptRequest(ts *testscript.TestScript, neg bool, args []string) {
	s := scriptOf(ts, neg, args, 2, len(args), "request METHOD PATH [NAME:VALUE …] [BODY]")
	header, body := map[string][]string{}, any(nil)
	for _, arg := range args[2:] {
		if name, value, ok := strings.Cut(arg, ":"); ok && !strings.HasPrefix(arg, "{") {
			header[name] = []string{value}
		} else {
			body = arg
		}
	}
	client := contracttest.Client(s, http.DefaultTransport)
	answer, err := s.stack.Try(client, fixture.At(args[0], args[1]), header, body)
	ts.Check(err)
	fmt.Fprintf(ts.Stdout(), "%d\n%s\n", answer.Status, answer.Raw)
}

func scriptOutbox(ts *testscript.TestScript, neg bool, args []string) {
	s := scriptOf(ts, neg, args, 1, 1, "outbox ID")
	mail, ok := mailOf(s.stack, args[0]+"\n")
	if !ok {
		ts.Fatalf("there is no mail %s", args[0])
	}
	slices.Sort(mail.To)
	raw, _ := s.stack.Outbox().Raw(mail.ID)
	fmt.Fprintf(ts.Stdout(), "from %s\nto %s\n\n%s", mail.From, strings.Join(mail.To, " "), raw)
}

func scriptLose(ts *testscript.TestScript, neg bool, args []string) {
	s := scriptOf(ts, neg, args, 1, 1, "lose FILE")
	for line := range strings.Lines(os.Expand(ts.ReadFile(args[0]), ts.Getenv)) {
		s.stack.Account().Queues.Send(s.stack.Environ()["STACK_NAME"]+"-LostEvents", strings.TrimSpace(line), nil)
	}
}

func scriptSettle(ts *testscript.TestScript, neg bool, args []string) {
	s := scriptOf(ts, neg, args, 0, 0, "settle")
	ts.Check(s.stack.Lambda().Settle(s.Context()))
}
