package target

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
)

// Deployed is a CloudFormation stack as DescribeStacks describes it. Status is a word such as UPDATE_COMPLETE. A
// stack that is being created has no outputs yet.
type Deployed struct {
	Name, Region string
	Status       types.StackStatus
	Outputs      map[string]string // such as ApiUrl and TableName
	Parameters   map[string]string // parameters of the template; asterisks for a secret one
}

// Deployed asks CloudFormation for the stack. A stack that does not exist is an error. It asks each time, because a
// stack changes while it is deployed.
func (t *Target) Deployed(ctx context.Context) (*Deployed, error) {
	cfg, err := t.Config(ctx)
	if err != nil {
		return nil, err
	}
	d := &Deployed{Name: t.Name(), Region: cfg.Region, Outputs: map[string]string{}, Parameters: map[string]string{}}
	stack, err := t.reach(ctx, "stack "+d.Name, cfg, "AWS_ENDPOINT_URL_CLOUDFORMATION")
	if err != nil {
		return nil, err
	}
	out, err := cloudformation.NewFromConfig(cfg).DescribeStacks(ctx, &cloudformation.DescribeStacksInput{
		StackName: &d.Name,
	})
	switch {
	// CloudFormation has no error code of its own for this: it answers ValidationError, with the reason in the text.
	case err != nil && strings.Contains(err.Error(), "does not exist"), err == nil && len(out.Stacks) == 0:
		return nil, fmt.Errorf("there is no stack %s in %s", d.Name, d.Region)
	case err != nil:
		return nil, ExplainAt(stack, err)
	}
	d.Status = out.Stacks[0].StackStatus
	for _, o := range out.Stacks[0].Outputs {
		d.Outputs[aws.ToString(o.OutputKey)] = aws.ToString(o.OutputValue)
	}
	for _, p := range out.Stacks[0].Parameters {
		d.Parameters[aws.ToString(p.ParameterKey)] = aws.ToString(p.ParameterValue)
	}
	return d, nil
}

// Resources returns the physical names of the stack's resources of a type, such as "AWS::Lambda::Function", by their
// logical ids. A resource that is being created may have no physical name yet, and gets "".
func (t *Target) Resources(ctx context.Context, kind string) (map[string]string, error) {
	cfg, err := t.Config(ctx)
	if err != nil {
		return nil, err
	}
	name, found := t.Name(), map[string]string{}
	pages := cloudformation.NewListStackResourcesPaginator(cloudformation.NewFromConfig(cfg),
		&cloudformation.ListStackResourcesInput{StackName: &name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, ExplainAt("stack "+name+" in "+cfg.Region, err)
		}
		for _, r := range page.StackResourceSummaries {
			if aws.ToString(r.ResourceType) == kind {
				found[aws.ToString(r.LogicalResourceId)] = aws.ToString(r.PhysicalResourceId)
			}
		}
	}
	return found, nil
}
