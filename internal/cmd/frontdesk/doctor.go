package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"frontdesk/internal/doctor"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/table"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
)

type doctorCommand struct {
	Stack string `env:"STACK_NAME" default:"frontdesk" help:"Name of the CloudFormation stack."`
}

// lookupTXT asks the DNS; tests publish records of their own.
var lookupTXT = net.DefaultResolver.LookupTXT

// Run looks at a deployment. It fails when something is missing; advice is no failure.
func (c doctorCommand) Run(ctx context.Context, out output) error {
	cfg, err := operatorConfig(ctx)
	if err != nil {
		return err
	}
	d := doctor.New(cfg, c.Stack)
	d.LookupTXT = lookupTXT
	d.Senders = func(ctx context.Context, name string) ([]string, error) {
		return senders(ctx, mailkey.Keys{Table: table.Open(cfg, name)})
	}
	findings := d.Examine(ctx)
	if err := out.print(findings, func(w io.Writer) { printFindings(w, findings) }); err != nil {
		return err
	}
	if n := doctor.CountMissing(findings); n > 0 {
		return fmt.Errorf("missing: %d", n)
	}
	return nil
}

// operatorConfig finds the operator's region and credentials, which every call would ask for anew and in its own words.
func operatorConfig(ctx context.Context) (aws.Config, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	switch {
	case err != nil:
		return cfg, fmt.Errorf("load AWS configuration: %w", err)
	case cfg.Region == "":
		return cfg, errors.New("there is no region: set AWS_REGION, or give your AWS profile one")
	}
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		return cfg, errors.New("there are no AWS credentials: sign in with aws sso login or aws configure, " +
			"or set AWS_PROFILE")
	}
	return cfg, nil
}

// senders are the addresses and domains that valid mail keys may send as.
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

func printFindings(w io.Writer, findings []doctor.Finding) {
	for _, f := range findings {
		fmt.Fprintf(w, "%-9s%s: %s\n", f.State, f.Subject, f.Says)
		if f.Mend != "" {
			fmt.Fprintf(w, "%s%s\n", strings.Repeat(" ", 9), f.Mend)
		}
	}
}
