package doctor

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// region is that of a deployment. That of an operator's AWS CLI may be another one.
type region string

// aws is a command of the AWS CLI in the region.
func (r region) aws(command string) string { return "aws --region " + string(r) + " " + command }

// deploy is how a stack is deployed. Its name is no part of that: beside --stack-name, sam deploy would take the
// parameters of samconfig.toml's default, which may be those of another stack.
func (r region) deploy() string {
	return "deploy it with its own environment of samconfig.toml: sam build && sam deploy --region " + string(r) +
		" --config-env '<that environment>'"
}

// update is the command that gives the stack's parameter a value, and changes nothing else: CloudFormation takes the
// template of the last deployment, in which each function's code is a package in S3, and expands its transform again,
// for which UpdateStack wants CAPABILITY_AUTO_EXPAND. A parameter that the command did not name would get its default.
// Where that template does not have the parameter yet, the stack is to be deployed with it.
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

// quote makes one word of a text for a shell.
func quote(text string) string {
	if plain.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// plain is what no shell takes for anything but itself.
var plain = regexp.MustCompile(`^[\w@%+=:,./-]+$`)
