package doctor

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// stack is a deployment with its parameters, outputs and tags.
type stack struct {
	region
	name                string
	id                  arn.ARN
	parameters, outputs map[string]string
	tags                map[string]string
}

// maxSkew is how far this machine's clock may differ. AWS refuses a request that is more than five minutes off.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html
const maxSkew = time.Minute

// examineStack returns nil for the stack if nothing else can be examined.
func (d *Doctor) examineStack(ctx context.Context) (*stack, []Finding) {
	const subject = "stack"
	out, err := d.CloudFormation.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &d.Stack})
	findings := d.examineClock(out, err)
	switch {
	case err != nil && !strings.Contains(err.Error(), "does not exist"):
		return nil, append(findings, unread(subject, "cloudformation:DescribeStacks", err))
	case err != nil || len(out.Stacks) == 0:
		return nil, append(findings, missing(subject, d.deploy(),
			"there is no stack %s in this region", d.Stack))
	}
	described := out.Stacks[0]
	id, err := arn.Parse(aws.ToString(described.StackId))
	if err != nil {
		return nil, append(findings, unread(subject, "cloudformation:DescribeStacks", err))
	}
	s := &stack{
		region:     d.region,
		name:       d.Stack,
		id:         id,
		parameters: map[string]string{},
		outputs:    map[string]string{},
		tags:       map[string]string{},
	}
	for _, p := range described.Parameters {
		s.parameters[aws.ToString(p.ParameterKey)] = aws.ToString(p.ParameterValue)
	}
	for _, o := range described.Outputs {
		s.outputs[aws.ToString(o.OutputKey)] = aws.ToString(o.OutputValue)
	}
	for _, t := range described.Tags {
		s.tags[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	finding := d.examineStatus(described.StackStatus)
	findings = append(findings, finding)
	if finding.State == Missing && s.outputs["TableName"] == "" {
		return nil, findings
	}
	return s, findings
}

// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html
func (d *Doctor) examineStatus(status types.StackStatus) Finding {
	const subject = "stack"
	flag := " --stack-name " + d.Stack
	events := d.aws("cloudformation describe-stack-events" + flag)
	switch {
	case status == types.StackStatusRollbackComplete || status == types.StackStatusRollbackFailed ||
		status == types.StackStatusCreateFailed:
		return missing(subject,
			d.aws("cloudformation delete-stack"+flag).
				then(d.aws("cloudformation wait stack-delete-complete"+flag)).
				then(d.deploy()).after("delete it, and deploy it"),
			"%s is %s: its first deployment failed", d.Stack, status)
	case status == types.StackStatusUpdateRollbackComplete:
		return advice(subject, events, "%s is %s: the last deployment was undone", d.Stack, status)
	case status == types.StackStatusReviewInProgress:
		return missing(subject, d.deploy(), "%s is %s: its change set was never executed", d.Stack, status)
	case strings.HasSuffix(string(status), "_IN_PROGRESS"):
		return missing(subject, events.after("look again when it has ended"),
			"%s is being changed: %s", d.Stack, status)
	case !strings.HasSuffix(string(status), "_COMPLETE"):
		return missing(subject, events, "%s is %s", d.Stack, status)
	}
	return right(subject, "%s is %s", d.Stack, status)
}

// examineClock compares this machine's clock with the date of an answer, which may be an error: a clock that is far
// off causes errors itself.
func (d *Doctor) examineClock(out *cloudformation.DescribeStacksOutput, err error) []Finding {
	var server time.Time
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && response.Response != nil {
		server, _ = http.ParseTime(response.Response.Header.Get("Date"))
	} else if err == nil {
		server, _ = middleware.GetServerTime(out.ResultMetadata)
	}
	// A local stack runs by this machine's own clock.
	if server.IsZero() || d.Local {
		return nil
	}
	skew := d.Now().Sub(server).Round(time.Second)
	if skew.Abs() > maxSkew {
		return []Finding{missing("clock", do("set this machine's clock"),
			"it is %v from AWS's, which refuses requests that are five minutes off", skew)}
	}
	return []Finding{right("clock", "it agrees with AWS's")}
}
