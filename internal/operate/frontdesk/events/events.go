// Package events has the commands about the events by which SES tells what became of mails.
//
// An event that did not reach the mail log or the webhook, in spite of all retries of AWS, waits in the stack's queue
// LostEvents for 14 days. An operator mends what was wrong, and then hands the events on by frontdesk events redrive.
package events

import (
	"context"
	"fmt"
	"os"
	"strings"

	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/frontdesk/target"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// Commands are the commands about events.
type Commands struct {
	Events group `cmd:"" help:"Events of mails." example:"frontdesk --stack frontdesk events redrive"`
}

// group has the commands of frontdesk events. An event that reached its target needs none of them.
type group struct {
	Redrive redriveCommand `cmd:"" help:"Hand on once more what is in the queue LostEvents, to whom it was lost: the mail log or the webhook." example:"frontdesk --stack frontdesk events redrive --webhook-secret-file secret.txt"`
}

// redriveCommand is frontdesk events redrive. The secret comes from a file, because a flag would be in the shell's
// history and in the list of processes.
type redriveCommand struct {
	SecretFile string `name:"webhook-secret-file" type:"existingfile" placeholder:"FILE" help:"File with EventWebhookSecret, which events for the webhook need."`
}

// Run returns an error if it could not hand on an event, or if another receiver has one. What was done is printed
// even after an error or a Ctrl-C: those events have left the queue. The command can be repeated at any time.
func (c redriveCommand) Run(ctx context.Context, stack *target.Target, out commandline.Output) error {
	r, err := c.redrive(ctx, stack)
	if err != nil {
		return err
	}
	done, err := r.run(ctx)
	if printed := out.Print(done, done.print); printed != nil {
		return printed
	}
	switch {
	case err != nil:
		return err
	case len(done.Left) > 0:
		return fmt.Errorf("not handed on: %d", len(done.Left))
	case done.InFlight > 0:
		return fmt.Errorf("with another receiver: %d", done.InFlight)
	}
	return nil
}

// redrive finds the stack's queue, its function and its webhook. A stack without a mail log is an error.
// CloudFormation never tells the secret, so it has to be given. Without it the events of the mail log are still
// handed on, and those of the webhook stay in the queue.
func (c redriveCommand) redrive(ctx context.Context, stack *target.Target) (r redrive, err error) {
	queue, found, err := FindQueue(ctx, stack)
	if err != nil {
		return r, err
	}
	cfg, err := stack.Config(ctx)
	if err != nil {
		return r, err
	}
	deployed, err := stack.Deployed(ctx)
	if err != nil {
		return r, err
	}
	functions, err := stack.Resources(ctx, "AWS::Lambda::Function")
	if err != nil {
		return r, err
	}
	r = redrive{
		queue:  queue,
		lambda: lambda.NewFromConfig(cfg), function: functions["RecordMailEventFunction"],
		webhook: webhook{client: stack.HTTP(), url: deployed.Parameters["EventWebhookUrl"]},
	}
	if !found || r.function == "" {
		return r, fmt.Errorf("stack %s has no mail log, and so no events", deployed.Name)
	}
	if c.SecretFile != "" {
		secret, err := os.ReadFile(c.SecretFile)
		if err != nil {
			return r, fmt.Errorf("read the webhook's secret: %w", err)
		}
		r.webhook.secret = strings.TrimSpace(string(secret))
	}
	return r, nil
}

// done is what a redrive did.
type done struct {
	Recorded int         `json:"recorded"`  // written to the mail log by its function
	Posted   int         `json:"posted"`    // taken by the webhook
	Left     []unhandled `json:"left"`      // still in the queue
	InFlight int         `json:"in_flight"` // about how many another receiver had when it began
}

// unhandled is an event that stays in the queue.
type unhandled struct {
	Event string `json:"event"` // its id
	For   string `json:"for"`   // one of the targets: mail log or webhook
	Why   string `json:"why"`
}

// print names each event that is left, and then the numbers. Numbers of 0 are printed as well, except that of
// other receivers.
func (d done) print(p commandline.Printer) {
	for _, l := range d.Left {
		p.Printf("%s for the %s\n    not handed on: %s\n", l.Event, l.For, l.Why)
	}
	p.Printf("handed on %d events to the mail log and %d to the webhook, failed with %d\n",
		d.Recorded, d.Posted, len(d.Left))
	if d.InFlight > 0 {
		p.Printf("about %d more with another receiver, for an hour at most: run this again then\n", d.InFlight)
	}
}
