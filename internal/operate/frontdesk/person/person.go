// Package person has the commands about everything that is stored of a person.
//
// A person is an e-mail address here: whoever asks what is stored about them gives one. The user of the address, if
// there is one, belongs to it. Package [frontdesk/internal/operate/personaldata] knows what each kind of item holds of
// an address.
package person

import (
	"context"
	"encoding/json"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/frontdesk/events"
	"frontdesk/internal/operate/frontdesk/target"
	"frontdesk/internal/operate/personaldata"
	"frontdesk/internal/operate/registry"
)

// Commands are the commands about a person.
type Commands struct {
	Person group `cmd:"" help:"All that is stored of a person, by an e-mail address." example:"frontdesk --local person show ada@example.org"`
}

// group has the commands of frontdesk person.
type group struct {
	Show   showCommand   `cmd:"" help:"Print as JSON all that is stored of an address, without secrets. Reads the whole table." example:"frontdesk --stack frontdesk person show ada@example.org > ada.json"`
	Forget forgetCommand `cmd:"" help:"Take an address out of all that is stored, except out of its user. Reads the whole table, and asks first at a terminal." example:"frontdesk --stack frontdesk person forget ada@example.org --user"`
}

// addressArg is the address that a command is for.
type addressArg struct {
	Address string `arg:"" help:"The e-mail address, in any spelling."`
}

// find announces the cost of a scan, and returns who has the address, and a function that shows the scan's progress.
// The cost goes to standard error before the scan begins, so that an operator can still interrupt it. A malformed
// address fails before that.
func (a addressArg) find(
	ctx context.Context, t table.Table, out commandline.Output,
) (p personaldata.Person, progress func(done int64), err error) {
	p, err = personaldata.Find(ctx, t, a.Address)
	if err != nil {
		return p, nil, err
	}
	// The price is of one region, as an order of magnitude: the tool asks no price list.
	cost, err := personaldata.CostOf(ctx, t)
	if err != nil {
		return p, nil, err
	}
	out.Note("this reads the whole of table %s: about %d items, %d read units ($%.4f on demand in us-east-1)\n",
		t.Name(), cost.Items, cost.Units(), float64(cost.Units())*dollarsPerUnit)
	lines := commandline.NewProgressLines(out.Log())
	return p, func(done int64) {
		lines.Show(commandline.Progress{What: "items", Done: done, Total: cost.Items})
	}, nil
}

// dollarsPerUnit is the price of a read unit on demand in us-east-1. It is $0.125 for a million of them.
// https://aws.amazon.com/dynamodb/pricing/on-demand/
const dollarsPerUnit = 0.125e-6

// lostEvents passes each event in the stack's queue to look, if the stack has a queue. Looked is false if nobody has
// named the stack: a table alone has no queue. Others cannot receive an event while it is looked at. What look does
// not take is back in the queue at the end.
func lostEvents(
	ctx context.Context, stack *target.Target, look func(event string) (take bool),
) (looked bool, err error) {
	if stack.CheckNamed() != nil {
		return false, nil
	}
	queue, found, err := events.FindQueue(ctx, stack)
	if err != nil || !found {
		return err == nil, err
	}
	return true, queue.TakeIf(ctx, look)
}

// notLooked is the note for a queue that was not read.
const notLooked = "the queue LostEvents was not read: to read it, name the stack by --local or --stack\n"

// showCommand is frontdesk person show. It answers a request for access, such as that of article 15 of the GDPR: what
// is stored, and where.
type showCommand struct{ addressArg }

// Run prints JSON even without --json: items of many kinds have no common columns. It takes no event out of the queue.
func (c showCommand) Run(ctx context.Context, stack *target.Target, t table.Table, out commandline.Output) error {
	p, progress, err := c.find(ctx, t, out)
	if err != nil {
		return err
	}
	result := struct {
		Address    string                           `json:"address"` // in its normal form
		Items      map[string][]personaldata.Stored `json:"items"`   // of the table, by their kinds
		LostEvents []json.RawMessage                `json:"lost_events"`
	}{Address: p.Address, LostEvents: []json.RawMessage{}}
	result.Items, err = personaldata.Show(ctx, t, registry.Kinds(), p, progress)
	if err != nil {
		return err
	}
	looked, err := lostEvents(ctx, stack, func(event string) (take bool) {
		// An event that is no JSON cannot stand in the answer. SES publishes none.
		if p.NamedIn(event) && json.Valid([]byte(event)) {
			result.LostEvents = append(result.LostEvents, json.RawMessage(event))
		}
		return false
	})
	if err != nil {
		return err
	}
	if !looked {
		out.Note(notLooked)
	}
	return out.PrintJSON(result)
}
