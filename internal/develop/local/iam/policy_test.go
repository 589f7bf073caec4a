package iam_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/document"
	"frontdesk/internal/develop/local/iam"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/samtemplatetest"
)

// The ARN of a table, as requests name it.
const tableARN = "arn:aws:dynamodb:eu-west-1:123456789012:table/desk-Table"

// TestPolicyDecidesLikeIAM shows one rule of IAM per case. Each policy allows GetItem and Query on the table, under the
// condition of the case.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
func TestPolicyDecidesLikeIAM(t *testing.T) {
	leading := func(keys ...string) map[string][]string { return map[string][]string{iam.LeadingKeys: keys} }
	attributes := func(names ...string) map[string][]string { return map[string][]string{iam.Attributes: names} }
	const ours = "{'ForAllValues:StringLike': {'dynamodb:LeadingKeys': ['USER#*', APP]}}"
	const two = "{'ForAllValues:StringEquals': {'dynamodb:Attributes': [PK, user]}}"
	for _, c := range []struct {
		name, condition, action, resource string
		keys                              map[string][]string
		want                              bool
	}{
		{"what is allowed", "{}", "dynamodb:GetItem", tableARN, nil, true},
		{"another action of the list", "{}", "dynamodb:Query", tableARN, nil, true},
		{"what nothing allows", "{}", "dynamodb:PutItem", tableARN, nil, false},
		{"another table", "{}", "dynamodb:GetItem", tableARN + "2", nil, false},
		{"an index of the table", "{}", "dynamodb:GetItem", tableARN + "/index/ByOwner", nil, false},
		{"every leading key matches", ours, "dynamodb:GetItem", tableARN, leading("USER#1", "APP", "USER#2"), true},
		{"one foreign leading key", ours, "dynamodb:GetItem", tableARN, leading("USER#1", "MAILKEY#1"), false},
		{"a key that only begins alike", ours, "dynamodb:GetItem", tableARN, leading("APP2"), false},
		// A known trap: it holds for an empty set.
		{"no leading key", ours, "dynamodb:Query", tableARN, nil, true},
		// What the AWS proxy cannot evaluate must never allow more than AWS would.
		{"leading keys that could not be determined", ours, "dynamodb:GetItem", tableARN,
			map[string][]string{iam.LeadingKeys: iam.Unknown}, false},
		{"leading keys that do not matter", "{}", "dynamodb:GetItem", tableARN,
			map[string][]string{iam.LeadingKeys: iam.Unknown}, true},
		{"every attribute", two, "dynamodb:GetItem", tableARN, attributes("user", "PK"), true},
		{"one attribute too many", two, "dynamodb:GetItem", tableARN, attributes("user", "users"), false},
		{"another case of an attribute", two, "dynamodb:GetItem", tableARN, attributes("User"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			policy := mustCompile(t, samtemplatetest.WithPolicies("- Statement: [{Effect: Allow, Action: "+
				"['dynamodb:GetItem', 'dynamodb:Query'], Resource: '"+tableARN+"', Condition: "+c.condition+"}]"))
			needed := iam.Permission{Action: c.action, Resources: []string{c.resource}, Keys: c.keys}
			expect.Equal(t, policy.Allows(needed), c.want, "allowed")
		})
	}
}

// mustCompile compiles the policies of a template's only function, which must have no errors.
func mustCompile(t *testing.T, source string) iam.Policy {
	t.Helper()
	policy, err := iam.Compile(samtemplatetest.MustParse(t, source).Functions[0].Policies)
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

// TestPoliciesOfAFunctionAddUp shows that the statements of all documents count, that any of a call's resources
// suffices, and that a condition of the template can drop a document.
func TestPoliciesOfAFunctionAddUp(t *testing.T) {
	policy := mustCompile(t, samtemplatetest.WithPolicies(`
- Version: '2012-10-17'
  Statement: [{Effect: Allow, Action: 'ses:SendEmail', Resource: 'arn:aws:ses:x:1:identity/*'}]
- Statement: [{Effect: Allow, Action: 'dynamodb:PutItem', Resource: '`+tableARN+`'}]
- !If [Never, {Statement: [{Effect: Allow, Action: 'dynamodb:Query', Resource: '`+tableARN+`'}]}, !Ref AWS::NoValue]
`)+"Conditions: {Never: !Equals [a, b]}\n")
	for action, want := range map[string]bool{
		"ses:SendEmail": true, "dynamodb:PutItem": true, "dynamodb:Query": false,
	} {
		needed := iam.Permission{Action: action, Resources: []string{"arn:aws:ses:x:1:identity/a@b", tableARN}}
		expect.Equal(t, policy.Allows(needed), want, action)
	}
	none := mustCompile(t, "Resources: {F: {Type: AWS::Serverless::Function}}")
	needed := iam.Permission{Action: "dynamodb:GetItem", Resources: []string{tableARN}}
	expect.Equal(t, none.Allows(needed), false, "allowed without policies")
}

// TestPolicyMistakesNameTheirLine shows that whatever the package does not know is an error at its line. IAM accepts
// most of these. Here they are errors, because a statement that is read in part could allow too much.
func TestPolicyMistakesNameTheirLine(t *testing.T) {
	// statement returns a policy with one statement of these lines, each indented as an element of the statement.
	statement := func(lines string) string {
		return "- Statement:\n    - " + strings.ReplaceAll(lines, "\n", "\n      ")
	}
	const (
		action   = "an action of DynamoDB or SES, without wildcards"
		resource = "an ARN, in which * may be the last character"
	)
	unknown := func(text, wanted string) string {
		return `"` + text + `" is not known in a policy: ` + wanted + " is wanted here"
	}
	for _, c := range []struct{ name, policies, want string }{
		{"a managed policy", "- AWSLambdaExecute # here",
			"a policy needs a Statement: only what is written out here is known"},
		{"a policy template of SAM", "- DynamoDBReadPolicy: {TableName: x} # here",
			"a policy needs a Statement: only what is written out here is known"},
		{"another version",
			"- Version: '2008-10-17' # here\n  Statement: []", "Version 2008-10-17 is not known in a policy"},
		{"an unknown element of a policy", "- Statement: []\n  Id: x # here", "Id x is not known in a policy"},
		{"a statement that is a string", "- Statement: allow # here", "a mapping is wanted here"},
		{"an unknown element of a statement",
			statement("Effect: Allow\nPrincipal: '*' # here"), "Principal is not known in a policy's statement"},
		{"all actions but some", statement("Effect: Allow\nNotAction: dynamodb:GetItem # here"),
			"NotAction is not known in a policy's statement"},
		{"no effect", statement("Action: dynamodb:GetItem # here"), "a statement needs Effect, Action and Resource"},
		{"no resource", statement("Effect: Allow # here\nAction: dynamodb:GetItem"),
			"a statement needs Effect, Action and Resource"},
		{"a denial", statement("Effect: Deny # here"), "the Effect Deny is not known: statements allow"},
		{"an action without service", statement("Action:\n  - dynamodb:GetItem\n  - GetItem # here"),
			unknown("GetItem", action)},
		{"all actions", statement("Action: '*' # here"), unknown("*", action)},
		{"an action by wildcard", statement("Action: 'dynamodb:Get*' # here"), unknown("dynamodb:Get*", action)},
		{"an action of another service", statement("Action: 's3:GetObject' # here"), unknown("s3:GetObject", action)},
		{"all resources", statement("Resource: '*' # here"), unknown("*", resource)},
		{"a resource that is no ARN", statement("Resource: desk-Table # here"), unknown("desk-Table", resource)},
		{"a wildcard within a resource", statement("Resource: 'arn:aws:ses:*:1:identity/a' # here"),
			unknown("arn:aws:ses:*:1:identity/a", resource)},
		{"a policy variable", statement("Resource: !Sub 'arn:aws:s3:::x/${!aws:username}' # here"),
			unknown("arn:aws:s3:::x/${aws:username}", resource)},
		{"an empty list", statement("Action: [] # here"), "a policy's list must not be empty"},
		{"an unknown operator", statement("Condition:\n  StringLike: {'dynamodb:LeadingKeys': a} # here"),
			"the condition StringLike of dynamodb:LeadingKeys is not known"},
		{"an unknown key", statement("Condition:\n  ForAllValues:StringLike: {'dynamodb:Select': a} # here"),
			"the condition ForAllValues:StringLike of dynamodb:Select is not known"},
		{"a wildcard within a key",
			statement("Condition:\n  ForAllValues:StringLike: {'dynamodb:LeadingKeys': '*#1'} # here"),
			unknown("*#1", "a key, in which * may be the last character")},
		{"a wildcard in an attribute",
			statement("Condition:\n  ForAllValues:StringEquals: {'dynamodb:Attributes': 'a*'} # here"),
			unknown("a*", "an attribute's name")},
		{"a condition that is a list", statement("Condition:\n  ForAllValues:StringLike: [a] # here"),
			"a mapping is wanted here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := samtemplatetest.WithPolicies(c.policies)
			_, err := iam.Compile(samtemplatetest.MustParse(t, source).Functions[0].Policies)
			samtemplatetest.WantErrorHere(t, source, err, c.want)
		})
	}
}

// FuzzCompile: no policies, however odd, make Compile panic, and every error names the file. The name stands before the
// message, so that a reader of the log can open the line.
func FuzzCompile(f *testing.F) {
	f.Add("- Statement: [{Effect: Allow, Action: 'dynamodb:GetItem', Resource: 'arn:aws:dynamodb:a:b:table/*'}]")
	f.Add("Statement: {Effect: Deny, NotAction: [a:b], NotResource: '*', " +
		"Condition: {ForAllValues:StringLike: {'dynamodb:LeadingKeys': ['a*', b]}}}")
	path := filepath.Join(f.TempDir(), "policies.yaml")
	f.Fuzz(func(t *testing.T, source string) {
		if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		// A text that is no YAML at all is refused here already, with the file's name too.
		policies, err := document.Read(path)
		if err == nil {
			_, err = iam.Compile(policies)
		}
		if err != nil && !strings.HasPrefix(err.Error(), path+":") {
			t.Errorf("error without its file: %v", err)
		}
	})
}
