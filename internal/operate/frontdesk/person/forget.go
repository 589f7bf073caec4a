package person

import (
	"context"
	"fmt"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/frontdesk/target"
	"frontdesk/internal/operate/personaldata"
	"frontdesk/internal/operate/registry"
)

// forgetCommand is frontdesk person forget. It answers a request for erasure, such as that of article 17 of the GDPR.
// User deletes the user as well; without it the user and its address stay.
type forgetCommand struct {
	addressArg
	commandline.Asking
	User         bool `help:"Delete the user as well, with links, tokens and memberships."`
	Unsubscribes bool `help:"Delete the unsubscribes as well. Without them, mails to the address may begin again."`
}

// elsewhere is what AWS and others keep of a person, and what may come later. No command reaches it. Each line says
// what it is and how long it stays.
var elsewhere = []string{
	"calls that are under way, and events of SES that come later: they may bring the address back into the log of " +
		"mails, for MailLogDays; a second run takes it out",
	"point-in-time recovery of the table: for 35 days; after a restore, run this again for everybody who was forgotten",
	"backups, exports and copies of the table, and the files of table list-access and unsubscribes export: for as " +
		"long as you keep them",
	"SES's suppression list, if a mail bounced or was complained of: until frontdesk suppression remove; " +
		"then SES sends to the address again",
	"the receiver behind EventWebhookUrl: whatever it has stored",
	"the functions' logs: for LogRetentionDays; they have no address",
}

// Run prints what still has the address. That is no failure: a person decides about it. Each step can be repeated, so
// after an interruption or an error the operator runs the same command again.
func (c forgetCommand) Run(
	ctx context.Context, stack *target.Target, t table.Table, out commandline.Output,
) error {
	p, progress, err := c.find(ctx, t, out)
	if err != nil {
		return err
	}
	if err := c.Confirm(ctx, out, "forget %s for good?", p.Address); err != nil {
		return err
	}
	taken := 0
	// An event in the queue would bring the address back when somebody hands it on later. A message of SQS cannot be
	// changed, so the whole event goes.
	looked, err := lostEvents(ctx, stack, func(event string) (take bool) {
		has := p.NamedIn(event)
		if has {
			taken++
		}
		return has
	})
	if err != nil {
		return err
	}
	r, err := personaldata.Forget(ctx, t, registry.Kinds(), p, personaldata.Options{
		User: c.User, Unsubscribes: c.Unsubscribes, Progress: progress,
	})
	if err != nil {
		return fmt.Errorf("%s is not forgotten yet, repeat this: %w", p.Address, err)
	}
	result := struct {
		Address    string              `json:"address"` // in its normal form
		User       int64               `json:"user"`    // the deleted user, 0 for none
		Changed    map[string]int      `json:"changed"` // items by kind
		LostEvents int                 `json:"lost_events"`
		Looked     bool                `json:"lost_events_looked_at"`
		Left       []personaldata.Left `json:"left"`
		Elsewhere  []string            `json:"elsewhere"` // who else keeps what, and how long
	}{
		Address: p.Address, User: int64(r.Deleted), Changed: r.Changed,
		LostEvents: taken, Looked: looked, Left: r.Left, Elsewhere: elsewhere,
	}
	return out.Print(result, func(p commandline.Printer) {
		for _, item := range r.Left {
			p.Printf("left to you: %s %s\n    %s\n", item.Kind, item.Key, item.Why)
		}
		p.Counts(r.Changed)
		p.Printf("%8d  event in the queue LostEvents, which is gone\n", taken)
		if r.Deleted != 0 {
			p.Printf("user %d is deleted\n", r.Deleted)
		}
		if !looked {
			p.Printf(notLooked)
		}
		p.Printf("what is kept elsewhere:\n")
		for _, kept := range elsewhere {
			p.Printf("  %s\n", kept)
		}
	})
}
