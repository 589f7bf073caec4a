package doctor

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// region is the region of a deployment. The operator's AWS CLI may be set to another.
type region string

// aws returns a command of the AWS CLI in the region.
func (r region) aws(command string) string { return "aws --region " + string(r) + " " + command }

// deploy returns how to deploy a stack. It does not give the stack's name: with --stack-name, sam deploy would take
// the parameters of samconfig.toml's default environment, which may belong to another stack.
func (r region) deploy() string {
	return "deploy it with its own environment of samconfig.toml: sam build && sam deploy --region " + string(r) +
		" --config-env '<that environment>'"
}

// update returns the command that sets one parameter of the stack and changes nothing else. CloudFormation takes the
// template of the last deployment, in which each function's code is a package in S3, and expands its transform again;
// for that, UpdateStack wants CAPABILITY_AUTO_EXPAND. The command names every other parameter, because one that it
// leaves out would get its default. If the deployed template does not have the parameter yet, update returns how to
// deploy the stack with it.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_UpdateStack.html
func (s *stack) update(parameter, value string) string {
	if _, has := s.parameters[parameter]; !has {
		return "add " + quote(parameter+"="+value) + " to its parameter_overrides, and " + s.deploy()
	}
	command := s.aws("cloudformation update-stack --stack-name " + s.name + " --use-previous-template" +
		" --capabilities CAPABILITY_IAM CAPABILITY_AUTO_EXPAND" +
		" --parameters " + quote("ParameterKey="+parameter+",ParameterValue="+value))
	for _, other := range slices.Sorted(maps.Keys(s.parameters)) {
		if other != parameter {
			command += " ParameterKey=" + other + ",UsePreviousValue=true"
		}
	}
	return command
}

// quote returns a text as one word for a shell.
func quote(text string) string {
	if plain.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// plain matches words in which no shell sees a special character.
var plain = regexp.MustCompile(`^[\w@%+=:,./-]+$`)
