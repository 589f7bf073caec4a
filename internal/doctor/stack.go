package doctor

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
)

// stack is what a deployment was given and what it tells.
type stack struct{ parameters, outputs map[string]string }

// maxSkew is how far clocks may differ. AWS refuses a request whose time is over five minutes from its own.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html
const maxSkew = time.Minute

func (d *Doctor) examineStack(ctx context.Context) (s stack, findings []Finding) {
	const subject = "stack"
	s = stack{map[string]string{}, map[string]string{}}
	out, err := d.CloudFormation.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &d.Stack})
	switch {
	case err != nil && strings.Contains(err.Error(), "does not exist"):
		return s, []Finding{missing(subject, "sam build && sam deploy", "there is no stack %s in this region", d.Stack)}
	case err != nil:
		return s, []Finding{unread(subject, "cloudformation:DescribeStacks", err)}
	case len(out.Stacks) == 0:
		return s, []Finding{missing(subject, "sam build && sam deploy", "there is no stack %s in this region", d.Stack)}
	}
	described := out.Stacks[0]
	for _, p := range described.Parameters {
		s.parameters[aws.ToString(p.ParameterKey)] = aws.ToString(p.ParameterValue)
	}
	for _, o := range described.Outputs {
		s.outputs[aws.ToString(o.OutputKey)] = aws.ToString(o.OutputValue)
	}
	status := string(described.StackStatus)
	switch {
	case strings.HasSuffix(status, "_IN_PROGRESS"):
		findings = append(findings, missing(subject, "aws cloudformation wait stack-update-complete --stack-name "+d.Stack,
			"%s is being changed: %s", d.Stack, status))
	case !strings.HasSuffix(status, "_COMPLETE") || status == "ROLLBACK_COMPLETE":
		findings = append(findings, missing(subject, "aws cloudformation describe-stack-events --stack-name "+d.Stack,
			"%s is %s", d.Stack, status))
	default:
		findings = append(findings, right(subject, "%s is %s", d.Stack, status))
	}
	findings = append(findings, d.examineAlarms(s))
	if server, ok := middleware.GetServerTime(out.ResultMetadata); ok {
		findings = append(findings, d.examineClock(server))
	}
	return s, findings
}

func (d *Doctor) examineAlarms(s stack) Finding {
	if s.parameters["AlarmTopicArn"] == "" {
		return missing("alarms", "sam deploy --parameter-overrides AlarmTopicArn=<the ARN of an SNS topic>",
			"they have no topic: nobody hears of them")
	}
	return right("alarms", "they go to %s", s.parameters["AlarmTopicArn"])
}

func (d *Doctor) examineClock(server time.Time) Finding {
	skew := d.Now().Sub(server).Round(time.Second)
	if skew.Abs() > maxSkew {
		return missing("clock", "set this machine's clock",
			"it is %v from AWS's, which refuses requests that are five minutes off", skew)
	}
	return right("clock", "it agrees with AWS's")
}
