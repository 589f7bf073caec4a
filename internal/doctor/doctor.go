// Package doctor looks at a deployment with an operator's credentials, and says what is right, what is missing, and the
// command that mends it. It changes nothing.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/smithy-go"
)

// State is how a finding stands.
type State string

const (
	Right   State = "right"
	Advice  State = "advice"  // works, and could be safer or cheaper
	Missing State = "missing" // does not work, or nobody hears when it stops
	Unknown State = "unknown" // cannot be seen from here
)

// Finding is what is known of one thing that a deployment needs.
type Finding struct {
	Subject string `json:"subject"` // such as "table" or "identity example.com"
	State   State  `json:"state"`
	Says    string `json:"says"`
	Mend    string `json:"mend,omitempty"` // a command, or what to publish or to read; "" where all is right
	// Records are to be published in the DNS, each as a line of a zone's file.
	Records []string `json:"records,omitempty"`
	// Sources are the addresses of the pages that want it.
	Sources []string `json:"sources,omitempty"`
}

// Doctor asks AWS about one deployment.
type Doctor struct {
	region
	Stack string // name of the CloudFormation stack
	Local bool   // it runs on this machine: what only a deployment has is left out
	// Senders are the addresses and domains, or Any, that the mail keys in a table may send as; none: there is no key.
	Senders func(ctx context.Context, table string) ([]string, error)
	// Layout fails where this program does not know the layout of a table: then nothing else of the stack is looked at.
	Layout func(ctx context.Context, table string) error
	// Reopened tells whether a table that was restored was reopened since.
	Reopened func(ctx context.Context, table types.TableDescription) (bool, error)
	// Resources are the names of the stack's resources of a type, such as "AWS::CloudWatch::Alarm", by logical id.
	Resources      func(ctx context.Context, kind string) (map[string]string, error)
	CloudFormation *cloudformation.Client
	DynamoDB       *dynamodb.Client
	KMS            *kms.Client
	SES            *sesv2.Client
	SNS            *sns.Client
	LookupTXT      func(ctx context.Context, name string) ([]string, error)
	Now            func() time.Time
}

// Any, among the senders, stands for every address; no identity can be looked at for it.
const Any = "*"

// New makes a Doctor without Senders, Layout, Reopened and Resources for the stack of that name.
func New(cfg aws.Config, stack string) *Doctor {
	return &Doctor{
		region:         region(cfg.Region),
		Stack:          stack,
		CloudFormation: cloudformation.NewFromConfig(cfg),
		DynamoDB:       dynamodb.NewFromConfig(cfg),
		KMS:            kms.NewFromConfig(cfg),
		SES:            sesv2.NewFromConfig(cfg),
		SNS:            sns.NewFromConfig(cfg),
		LookupTXT:      net.DefaultResolver.LookupTXT,
		Now:            time.Now,
	}
}

// Examine looks at everything that the stack should have. A thing that cannot be looked at is a finding like any other;
// what hangs on it, such as the table of a stack that is not there, has none.
func (d *Doctor) Examine(ctx context.Context) []Finding {
	stack, findings := d.examineStack(ctx)
	switch {
	case stack == nil && d.Local:
		return findings
	case stack == nil:
		return append(findings, d.examineAccount(ctx)...)
	}
	if refused := d.examineLayout(ctx, stack); refused != nil {
		return append(findings, refused...)
	}
	senders, unknown := d.senders(ctx, stack)
	if d.Local {
		return slices.Concat(findings, d.examineTable(ctx, stack), unknown)
	}
	return slices.Concat(findings,
		d.examineAlarms(ctx, stack),
		d.examineTable(ctx, stack),
		d.examineAccount(ctx),
		unknown,
		d.examineIdentities(ctx, senders),
		examineRedirect(stack),
		d.examineConfigurationSet(ctx, stack))
}

// CountMissing is how many things are missing.
func CountMissing(findings []Finding) (n int) {
	for _, f := range findings {
		if f.State == Missing {
			n++
		}
	}
	return n
}

func right(subject, format string, args ...any) Finding {
	return Finding{Subject: subject, State: Right, Says: fmt.Sprintf(format, args...)}
}

func advice(subject, mend, format string, args ...any) Finding {
	return Finding{Subject: subject, State: Advice, Says: fmt.Sprintf(format, args...), Mend: mend}
}

func missing(subject, mend, format string, args ...any) Finding {
	return Finding{Subject: subject, State: Missing, Says: fmt.Sprintf(format, args...), Mend: mend}
}

// unread is something that AWS did not tell; the action is what the operator's credentials have to permit.
func unread(subject, action string, err error) Finding {
	reason := err.Error()
	if e, ok := errors.AsType[smithy.APIError](err); ok {
		reason = e.ErrorCode() + ": " + e.ErrorMessage()
	}
	return missing(subject, "use credentials that may "+action, "it could not be read: %s", reason)
}
