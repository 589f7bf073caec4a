// Package doctor examines a deployment with an operator's credentials. For each thing that a deployment needs it says
// whether it is right or missing, and the command that mends it; and it tells what goes wrong now. It changes nothing.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/smithy-go"
)

// State is the result of one finding.
type State string

const (
	Right   State = "right"
	Advice  State = "advice"  // works, and could be safer or cheaper
	Missing State = "missing" // does not work, or nobody hears when it stops
	Wrong   State = "wrong"   // all is there, and something goes wrong now
	Unknown State = "unknown" // neither AWS nor the DNS tells
)

// Finding is what is known of one thing that a deployment needs.
type Finding struct {
	Subject string `json:"subject"` // such as "table" or "identity example.com"
	State   State  `json:"state"`
	Says    string `json:"says"`
	Mend    string `json:"mend,omitempty"`    // what to do; "" where the command says it, and where all is right
	Command string `json:"command,omitempty"` // for a shell; "" for none
	// Records are DNS records to publish, each as a line of a zone file.
	Records []string `json:"records,omitempty"`
	// Sources are the addresses of pages that demand it.
	Sources []string `json:"sources,omitempty"`

	unanswered bool // AWS gave no answer
}

// Doctor asks AWS about one deployment.
type Doctor struct {
	region
	Stack string // name of the CloudFormation stack
	Local bool   // the stack runs on this machine: checks for deployments alone are left out
	// Senders returns the addresses and domains, or [Any], that a table's mail keys may send as; none if there is
	// no key.
	Senders func(ctx context.Context, table string) ([]string, error)
	// Layout returns an error if this program does not know the layout of a table. Then the doctor examines nothing
	// else of the stack.
	Layout func(ctx context.Context, table string) error
	// Reopened reports whether a restored table has been reopened since its restore.
	Reopened func(ctx context.Context, table types.TableDescription) (bool, error)
	// Portals warns of public portals whose list readers do not get, or will soon not get.
	Portals func(ctx context.Context, table string) ([]Warning, error)
	// LostEvents counts the events of mails that did not reach their target and wait in the stack's queue. It is about
	// right, as SQS counts. There is none if the stack has no such queue.
	LostEvents func(ctx context.Context) (n int, found bool, err error)
	// Resources returns the names of the stack's resources of a type, such as "AWS::CloudWatch::Alarm", by logical id.
	Resources      func(ctx context.Context, kind string) (map[string]string, error)
	CloudFormation *cloudformation.Client
	CloudWatch     *cloudwatch.Client
	DynamoDB       *dynamodb.Client
	KMS            *kms.Client
	SES            *sesv2.Client
	SNS            *sns.Client
	LookupTXT      func(ctx context.Context, name string) ([]string, error)
	Now            func() time.Time
}

// Warning is what is wrong with something, and what to do.
type Warning struct{ Says, Mend string }

// Any, among the senders, stands for every address. It has no identity that could be examined.
const Any = "*"

// New makes a Doctor for the stack of that name. The caller sets the functions above.
func New(cfg aws.Config, stack string) *Doctor {
	return &Doctor{
		region:         region(cfg.Region),
		Stack:          stack,
		CloudFormation: cloudformation.NewFromConfig(cfg),
		CloudWatch:     cloudwatch.NewFromConfig(cfg),
		DynamoDB:       dynamodb.NewFromConfig(cfg),
		KMS:            kms.NewFromConfig(cfg),
		SES:            sesv2.NewFromConfig(cfg),
		SNS:            sns.NewFromConfig(cfg),
		LookupTXT:      net.DefaultResolver.LookupTXT,
		Now:            time.Now,
	}
}

// Examine examines everything that the stack should have. A thing that cannot be read is a finding like any other.
// Things that depend on a missing one, such as the table of a stack that does not exist, have no finding.
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
		return slices.Concat(findings, d.examineTable(ctx, stack), d.examinePortals(ctx, stack), unknown)
	}
	return slices.Concat(findings,
		d.examineAlarms(ctx, stack),
		d.examineTable(ctx, stack),
		d.examinePortals(ctx, stack),
		d.examineAccount(ctx),
		unknown,
		d.examineIdentities(ctx, senders),
		examinePurpose(stack),
		examineRedirect(stack),
		d.examineConfigurationSet(ctx, stack),
		d.examineLostEvents(ctx))
}

// CountAmiss returns how many findings are Missing or Wrong. It decides the exit status of the command.
func CountAmiss(findings []Finding) (n int) {
	for _, f := range findings {
		if f.State == Missing || f.State == Wrong {
			n++
		}
	}
	return n
}

// CountUnanswered returns for how many findings AWS gave no answer. A deployment that was not looked at is not known to
// be complete.
func CountUnanswered(findings []Finding) (n int) {
	for _, f := range findings {
		if f.unanswered {
			n++
		}
	}
	return n
}

// right is a finding without a mend.
func right(subject, format string, args ...any) Finding {
	return found(Right, subject, mend{}, format, args...)
}

// advice is a finding on something that works, and what improves it.
func advice(subject string, by mend, format string, args ...any) Finding {
	return found(Advice, subject, by, format, args...)
}

// missing is a finding on something that does not work, and what mends it.
func missing(subject string, by mend, format string, args ...any) Finding {
	return found(Missing, subject, by, format, args...)
}

// wrong is a finding on something that goes wrong now, and where to look.
func wrong(subject string, look mend, format string, args ...any) Finding {
	return found(Wrong, subject, look, format, args...)
}

func found(state State, subject string, m mend, format string, args ...any) Finding {
	return Finding{
		Subject: subject, State: state, Says: fmt.Sprintf(format, args...), Mend: m.words, Command: m.command,
	}
}

// unread is a finding that could not be read. If AWS refuses the call, the operator's credentials lack a permission,
// which the action names. Anything else says nothing about permissions or the deployment: a network that is down, a
// call that is throttled, an error of AWS's own, credentials that have expired.
func unread(subject, action string, err error) Finding {
	const says = "it could not be read: %s"
	e, answered := errors.AsType[smithy.APIError](err)
	if answered && (strings.HasPrefix(e.ErrorCode(), "AccessDenied") || slices.Contains(refusals, e.ErrorCode())) {
		return missing(subject, do("use credentials that may "+action), says, reasonOf(err))
	}
	f := unknown(subject, do("look again, when AWS answers and takes your credentials"), says, reasonOf(err))
	f.unanswered = true
	return f
}

// reasonOf returns why a call failed, without the SDK's words around it.
func reasonOf(err error) string {
	if e, ok := errors.AsType[smithy.APIError](err); ok {
		return e.ErrorCode() + ": " + e.ErrorMessage()
	}
	if e, ok := errors.AsType[*awshttp.ResponseTimeoutError](err); ok {
		return fmt.Sprintf("nothing came for %v", e.TimeoutDur)
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// refusals are the codes by which services refuse a call for a lack of permission, besides AccessDenied and
// AccessDeniedException. SNS has the first of them.
// https://docs.aws.amazon.com/sns/latest/api/CommonErrors.html
var refusals = []string{"AuthorizationError", "NotAuthorized", "UnauthorizedOperation"}
