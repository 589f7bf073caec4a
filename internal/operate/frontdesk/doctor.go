package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/doctor"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/frontdesk/events"
	"frontdesk/internal/operate/frontdesk/target"
	"frontdesk/internal/operate/restore"
	"frontdesk/internal/service/category"
	"frontdesk/internal/service/mail/mailkey"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// doctorCommand is frontdesk doctor. It has no flag that mends: every mend is a command or a DNS record that it
// prints, and an operator reads it before running it.
type doctorCommand struct{}

// Run examines a deployment. It returns an error if something is missing or goes wrong, so a pipeline can run it after
// each deployment; advice is no error. What may not be looked at is missing. If AWS did not answer, the error says so:
// then nobody knows whether the deployment is complete.
func (doctorCommand) Run(
	ctx context.Context, stack *target.Target, lookup lookupTXT, out commandline.Output,
) error {
	cfg, err := stack.Config(ctx)
	if err != nil {
		return err
	}
	d := doctor.New(cfg, stack.Name())
	d.Local, d.LookupTXT, d.Resources = stack.IsLocal(), lookup, stack.Resources
	// These read the table by the rules of other packages. The doctor takes them as functions, so that it does
	// not depend on what those packages store.
	d.Senders = func(ctx context.Context, name string) ([]string, error) {
		return senders(ctx, mailkey.Keys{Table: table.Open(cfg, name)})
	}
	d.Layout = func(ctx context.Context, name string) error {
		_, err := table.Open(cfg, name).CheckLayout(ctx)
		_, unknown := errors.AsType[table.UnknownLayout](err)
		_, damaged := errors.AsType[table.Damage](err)
		if !unknown && !damaged {
			// A layout that was not read is no other one: later findings need the same call and say so.
			return nil
		}
		return err
	}
	d.Reopened = func(ctx context.Context, described types.TableDescription) (bool, error) {
		last, err := restore.LastReopening(ctx, table.Open(cfg, aws.ToString(described.TableName)))
		return restore.ReopenedSince(described, last), err
	}
	d.Portals = func(ctx context.Context, name string) (warnings []doctor.Warning, err error) {
		found, err := category.WarnOfPortals(ctx, table.Open(cfg, name))
		if _, absent := errors.AsType[*types.ResourceNotFoundException](err); absent {
			// The table has a finding of its own.
			return nil, nil
		}
		for _, w := range found {
			warnings = append(warnings, doctor.Warning(w))
		}
		return warnings, err
	}
	d.LostEvents = func(ctx context.Context) (int, bool, error) { return events.Waiting(ctx, stack) }
	findings := d.Examine(ctx)
	if err := out.Print(findings, func(p commandline.Printer) { printFindings(p, findings) }); err != nil {
		return err
	}
	if n := doctor.CountAmiss(findings); n > 0 {
		return fmt.Errorf("of the %d things looked at, %d are missing or wrong", len(findings), n)
	}
	if n := doctor.CountUnanswered(findings); n > 0 {
		return fmt.Errorf("AWS did not answer for %d of the %d things looked at: look again", n, len(findings))
	}
	return nil
}

// senders returns the addresses and domains that valid mail keys may send as. An address may come more than once.
// Revoked keys send nothing, so nobody needs their identities in SES.
func senders(ctx context.Context, keys mailkey.Keys) (all []string, err error) {
	listed, err := keys.List(ctx)
	for _, key := range listed {
		if !key.RevokedAt.IsZero() {
			continue
		}
		if key.Sender.Address != "" {
			all = append(all, key.Sender.Address)
		}
		all = append(all, key.From...)
	}
	return all, err
}

// printFindings prints each finding with its state in the first column, so that missing ones stand out, and below it
// what to do. Nine columns hold the longest state, missing, and two spaces. What mailboxes want is linked once, below
// all.
func printFindings(p commandline.Printer, findings []doctor.Finding) {
	const column = 9
	var links []string
	for _, f := range findings {
		p.Paragraph(fmt.Sprintf("%-*s%s: %s", column, f.State, f.Subject, f.Says), column)
		if f.Mend != "" {
			p.Paragraph(strings.Repeat(" ", column)+f.Mend, column)
		}
		for command := range strings.Lines(f.Command) {
			p.Command(command, column)
		}
		for _, record := range f.Records {
			p.Record(record, column)
		}
		if f.State != doctor.Right {
			links = append(links, f.Sources...)
		}
	}
	for i, link := range links {
		if i == slices.Index(links, link) {
			p.Printf("link     %s\n", link)
		}
	}
}
