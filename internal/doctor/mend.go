package doctor

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// update is the command that gives the stack's parameter a value, and changes nothing else: CloudFormation takes the
// template of the last deployment, in which each function's code is a package in S3, and expands its transform again,
// for which UpdateStack wants CAPABILITY_AUTO_EXPAND. A parameter that the command did not name would get its default.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_UpdateStack.html
func (s *stack) update(parameter, value string) string {
	command := "aws cloudformation update-stack --stack-name " + s.name + " --use-previous-template" +
		" --capabilities CAPABILITY_IAM CAPABILITY_AUTO_EXPAND" +
		" --parameters " + quote("ParameterKey="+parameter+",ParameterValue="+value)
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
