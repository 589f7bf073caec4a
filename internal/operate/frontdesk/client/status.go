package client

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"

	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/frontdesk/target"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/user/platformapp"
)

// statusCommand is frontdesk status, the first command to run where something does not work.
type statusCommand struct{}

// status is what the command has found out about a stack. Fields of a part that did not answer keep their zero values.
type status struct {
	Stack     string         `json:"stack" show:"stack"`
	State     string         `json:"state" show:"state"` // status in CloudFormation
	Region    string         `json:"region" show:"region"`
	API       string         `json:"api" show:"api"`
	Docs      string         `json:"docs" show:"docs"`
	Console   string         `json:"console,omitempty" show:"console"`
	Table     string         `json:"table" show:"table"`
	Functions functions      `json:"functions" show:"functions"`
	Counts    map[string]int `json:"counts" show:"counts"`
	Faults    []string       `json:"faults" show:"fault"` // parts that do not answer, and why
}

// functions are the names of a stack's functions. For people their number is printed.
type functions []string

func (f functions) String() string { return strconv.Itoa(len(f)) }

// Run asks every part of the stack. It fails if one does not answer. All parts are asked even if the first fails: an
// operator wants to see at once what works. Two parts that fail for one reason have one fault. Without a region or
// credentials nothing can be asked.
func (statusCommand) Run(ctx context.Context, stack *target.Target, out commandline.Output) error {
	if _, err := stack.Config(ctx); err != nil {
		return err
	}
	s := status{Stack: stack.Name(), Functions: functions{}, Counts: map[string]int{}, Faults: []string{}}
	for _, part := range []func(context.Context, *target.Target) error{
		s.askCloudFormation, s.askAPI, s.askTable, s.askConsole,
	} {
		if err := part(ctx, stack); err != nil && !slices.Contains(s.Faults, err.Error()) {
			s.Faults = append(s.Faults, err.Error())
		}
	}
	if err := out.Show(s); err != nil {
		return err
	}
	if n := len(s.Faults); n > 0 {
		return errors.New("not every part of the stack answers")
	}
	return nil
}

// askCloudFormation finds out the stack's state, its region and its functions. On this machine the local stack
// answers for CloudFormation.
func (s *status) askCloudFormation(ctx context.Context, stack *target.Target) error {
	deployed, err := stack.Deployed(ctx)
	if err != nil {
		return err
	}
	s.State, s.Region = string(deployed.Status), deployed.Region
	functions, err := stack.Resources(ctx, "AWS::Lambda::Function")
	s.Functions = slices.AppendSeq(s.Functions, maps.Keys(functions))
	slices.Sort(s.Functions)
	return err
}

// askAPI reads the contract, because that needs no credentials and calls nothing behind the function.
func (s *status) askAPI(ctx context.Context, stack *target.Target) (err error) {
	s.API, err = stack.API(ctx)
	if err != nil {
		return err
	}
	s.Docs = s.API + "/docs"
	var contract struct{ OpenAPI string }
	return get(ctx, stack.HTTP(), s.API+"/openapi.json", nil, &contract)
}

// askTable counts what a directory lists. It does not count users and categories: that would read the whole table.
// Revoked keys and apps are counted, too.
func (s *status) askTable(ctx context.Context, stack *target.Target) error {
	t, err := stack.Table(ctx)
	if err != nil {
		return err
	}
	s.Table = t.Name()
	keys, err := mailkey.Keys{Table: t}.List(ctx)
	if err != nil {
		return stack.Explain(err)
	}
	apps, err := platformapp.Store{Table: t}.List(ctx)
	if err != nil {
		return stack.Explain(err)
	}
	portals, err := portal.Store{Table: t}.List(ctx)
	if err != nil {
		return stack.Explain(err)
	}
	s.Counts["mail keys"], s.Counts["platform apps"], s.Counts["portals"] = len(keys), len(apps), len(portals)
	return nil
}

// askConsole counts the mails and the requests that a local stack remembers. A deployed stack has none, which is no
// fault. Both lists have an end, so a count is of what is still remembered.
func (s *status) askConsole(ctx context.Context, stack *target.Target) error {
	console := stack.Console()
	if console == "" {
		return nil
	}
	s.Console = console + "/"
	var mails, requests []struct{ ID string }
	if err := get(ctx, stack.HTTP(), console+"/outbox", nil, &mails); err != nil {
		return err
	}
	if err := get(ctx, stack.HTTP(), console+"/requests", nil, &requests); err != nil {
		return err
	}
	s.Counts["mails in the outbox"], s.Counts["last requests"] = len(mails), len(requests)
	return nil
}
