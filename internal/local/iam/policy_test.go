package iam_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/expect"
	"frontdesk/internal/local/document"
	"frontdesk/internal/local/iam"
	"frontdesk/internal/local/template/templatetest"
)

// leading returns the condition keys of a request for items with these partition keys.
func leading(keys ...string) map[string][]string {
	return map[string][]string{"dynamodb:LeadingKeys": keys}
}

// mustCompile compiles the policies of a template's only function, which must have no errors.
func mustCompile(t *testing.T, source string) iam.Policy {
	t.Helper()
	policy, err := iam.Compile(templatetest.MustParse(t, source).Functions[0].Policies)
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

// The ARNs of a table and of its global index, as requests name them.
const (
	tableARN = "arn:aws:dynamodb:eu-west-1:123456789012:table/desk-Table"
	indexARN = tableARN + "/index/ByOwner"
)

// allows reports whether a policy allows an action on a resource.
func allows(policy iam.Policy, action, resource string, keys map[string][]string) bool {
	return iam.Permission{Action: action, Resources: []string{resource}, Keys: keys}.Grant(policy) == iam.Allow
}

// TestPolicyFollowsTheRulesOfIAM shows one rule of IAM's documentation per case, in groups: effects, wildcards,
// NotAction and NotResource, keys with several values, operators. "leading()" stands for keys that are unknown.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
func TestPolicyFollowsTheRulesOfIAM(t *testing.T) {
	for _, c := range []struct {
		name, statements string
		action, resource string
		keys             map[string][]string
		want             bool
	}{
		{"default deny", `[{Effect: Allow, Action: dynamodb:GetItem, Resource: '*'}]`,
			"dynamodb:PutItem", tableARN, nil, false},
		{"an action and a resource that are allowed",
			`[{Effect: Allow, Action: dynamodb:GetItem, Resource: '` + tableARN + `'}]`,
			"dynamodb:GetItem", tableARN, nil, true},
		{"one statement without a list", `{Effect: Allow, Action: dynamodb:GetItem, Resource: '*'}`,
			"dynamodb:GetItem", tableARN, nil, true},
		{"a list of actions and of resources",
			`[{Effect: Allow, Action: [dynamodb:GetItem, dynamodb:PutItem],
				Resource: [arn:aws:s3:::x, '` + tableARN + `']}]`,
			"dynamodb:PutItem", tableARN, nil, true},
		{"explicit deny wins, whatever the order",
			`[{Effect: Deny, Action: dynamodb:PutItem, Resource: '*'}, {Effect: Allow, Action: '*', Resource: '*'}]`,
			"dynamodb:PutItem", tableARN, nil, false},
		{"an explicit deny of another action does not matter",
			`[{Effect: Deny, Action: dynamodb:PutItem, Resource: '*'}, {Effect: Allow, Action: '*', Resource: '*'}]`,
			"dynamodb:GetItem", tableARN, nil, true},

		{"wildcard * in an action",
			`[{Effect: Allow, Action: dynamodb:*Item, Resource: '*'}]`, "dynamodb:GetItem", tableARN, nil, true},
		{"wildcard * in an action is the whole rest or nothing",
			`[{Effect: Allow, Action: dynamodb:*Item, Resource: '*'}]`,
			"dynamodb:TransactGetItems", tableARN, nil, false},
		{"wildcard ? is one character",
			`[{Effect: Allow, Action: 'dynamodb:?etItem', Resource: '*'}]`, "dynamodb:GetItem", tableARN, nil, true},
		{"wildcard ? is not none",
			`[{Effect: Allow, Action: 'dynamodb:GetItem?', Resource: '*'}]`, "dynamodb:GetItem", tableARN, nil, false},
		{"several wildcards",
			`[{Effect: Allow, Action: 'dynamodb:*t*t*', Resource: '*'}]`, "dynamodb:GetItem", tableARN, nil, true},
		{"actions have no case",
			`[{Effect: Allow, Action: DynamoDB:getitem, Resource: '*'}]`, "dynamodb:GetItem", tableARN, nil, true},
		{"resources have case", `[{Effect: Allow, Action: '*', Resource: 'arn:aws:dynamodb:*:*:table/DESK-table'}]`,
			"dynamodb:GetItem", tableARN, nil, false},
		{"wildcards in the parts of an ARN",
			`[{Effect: Allow, Action: '*', Resource: 'arn:*:dynamodb:*:*:table/desk-*'}]`,
			"dynamodb:GetItem", tableARN, nil, true},
		// With the whole ARN as one text, this pattern would match.
		{"a wildcard does not reach over a colon",
			`[{Effect: Allow, Action: '*', Resource: 'arn:aws:*:*:*:desk-Table'}]`,
			"dynamodb:GetItem", tableARN, nil, false},
		// A query of an index needs the index's ARN: Query on the table alone does not allow it.
		{"a table is not its index",
			`[{Effect: Allow, Action: '*', Resource: '` + tableARN + `'}]`, "dynamodb:Query", indexARN, nil, false},
		{"an index by wildcard", `[{Effect: Allow, Action: '*', Resource: '` + tableARN + `/index/*'}]`,
			"dynamodb:Query", indexARN, nil, true},

		{"NotAction allows the others", `[{Effect: Allow, NotAction: dynamodb:DeleteItem, Resource: '*'}]`,
			"dynamodb:GetItem", tableARN, nil, true},
		{"NotAction does not allow its own", `[{Effect: Allow, NotAction: dynamodb:DeleteItem, Resource: '*'}]`,
			"dynamodb:DeleteItem", tableARN, nil, false},
		{"NotResource denies the others",
			`[{Effect: Deny, Action: '*', NotResource: '` + tableARN + `'},
				{Effect: Allow, Action: '*', Resource: '*'}]`,
			"dynamodb:GetItem", indexARN, nil, false},
		{"NotResource does not deny its own",
			`[{Effect: Deny, Action: '*', NotResource: '` + tableARN + `'},
				{Effect: Allow, Action: '*', Resource: '*'}]`,
			"dynamodb:GetItem", tableARN, nil, true},

		// Keys with several values need a quantifier. "ForAllValues" alone holds for an empty set, which is a
		// known trap.
		{"ForAllValues:StringLike: every leading key matches",
			allowIf(`ForAllValues:StringLike: {dynamodb:LeadingKeys: ['USER#*', APP]}`),
			"dynamodb:GetItem", tableARN, leading("USER#1", "APP", "USER#2"), true},
		{"ForAllValues:StringLike: one foreign leading key",
			allowIf(`ForAllValues:StringLike: {dynamodb:LeadingKeys: ['USER#*', APP]}`),
			"dynamodb:GetItem", tableARN, leading("USER#1", "MAILKEY#1"), false},
		{"ForAllValues holds where there is no leading key",
			allowIf(`ForAllValues:StringLike: {dynamodb:LeadingKeys: 'USER#*'}`),
			"dynamodb:Scan", tableARN, nil, true},
		{"ForAllValues with Null: there must be a leading key",
			allowIf(`ForAllValues:StringLike: {dynamodb:LeadingKeys: 'USER#*'}, 'Null': {dynamodb:LeadingKeys: false}`),
			"dynamodb:Scan", tableARN, nil, false},
		// A statement that the gate cannot evaluate must never allow more than AWS would: such an Allow does not hold,
		// and such a Deny does.
		{"leading keys that are not known fail an Allow",
			allowIf(`ForAllValues:StringLike: {dynamodb:LeadingKeys: '*'}`),
			"dynamodb:ExecuteStatement", tableARN, leading(), false},
		{"leading keys that are not known meet a Deny",
			denyIf(`ForAnyValue:StringLike: {dynamodb:LeadingKeys: 'X'}`),
			"dynamodb:ExecuteStatement", tableARN, leading(), false},
		{"leading keys that are not known do not matter without a condition",
			`[{Effect: Allow, Action: '*', Resource: '*'}]`,
			"dynamodb:ExecuteStatement", tableARN, leading(), true},
		{"ForAllValues:StringNotEquals: none of the leading keys",
			allowIf(`ForAllValues:StringNotEquals: {dynamodb:LeadingKeys: [A, B]}`),
			"dynamodb:GetItem", tableARN, leading("C", "D"), true},
		{"ForAllValues:StringNotEquals: one of the leading keys",
			allowIf(`ForAllValues:StringNotEquals: {dynamodb:LeadingKeys: [A, B]}`),
			"dynamodb:GetItem", tableARN, leading("C", "B"), false},
		{"ForAnyValue: one is enough", allowIf(`ForAnyValue:StringEquals: {dynamodb:LeadingKeys: A}`),
			"dynamodb:GetItem", tableARN, leading("B", "A"), true},
		{"ForAnyValue: none", allowIf(`ForAnyValue:StringEquals: {dynamodb:LeadingKeys: A}`),
			"dynamodb:GetItem", tableARN, leading("B"), false},
		// The negated operator would hold for any value, but there is none.
		{"ForAnyValue: an absent key", allowIf(`ForAnyValue:StringNotEquals: {dynamodb:LeadingKeys: A}`),
			"dynamodb:Scan", tableARN, nil, false},

		// Keys with a single value: an absent key fails an operator, unless the operator is negated.
		{"StringEquals: one of the values", allowIf(`StringEquals: {ses:FromAddress: [a@example.com, b@example.com]}`),
			"ses:SendEmail", "*", map[string][]string{"ses:FromAddress": {"b@example.com"}}, true},
		{"StringEquals has case", allowIf(`StringEquals: {ses:FromAddress: a@example.com}`),
			"ses:SendEmail", "*", map[string][]string{"ses:FromAddress": {"A@example.com"}}, false},
		{"StringEquals knows no wildcards", allowIf(`StringEquals: {ses:FromAddress: '*@example.com'}`),
			"ses:SendEmail", "*", map[string][]string{"ses:FromAddress": {"a@example.com"}}, false},
		{"StringEquals: an absent key",
			allowIf(`StringEquals: {ses:FromAddress: a@example.com}`), "ses:SendEmail", "*", nil, false},
		{"StringEqualsIgnoreCase", allowIf(`StringEqualsIgnoreCase: {ses:FromAddress: a@example.com}`),
			"ses:SendEmail", "*", map[string][]string{"ses:FromAddress": {"A@example.com"}}, true},
		{"StringLike", allowIf(`StringLike: {ses:FromAddress: '*@example.com'}`),
			"ses:SendEmail", "*", map[string][]string{"ses:FromAddress": {"a@example.com"}}, true},
		{"StringNotEquals: none of the values",
			allowIf(`StringNotEquals: {aws:RequestedRegion: [us-east-1, us-east-2]}`),
			"ses:SendEmail", "*", map[string][]string{"aws:RequestedRegion": {"eu-west-1"}}, true},
		{"StringNotEquals: one of the values",
			allowIf(`StringNotEquals: {aws:RequestedRegion: [us-east-1, eu-west-1]}`),
			"ses:SendEmail", "*", map[string][]string{"aws:RequestedRegion": {"eu-west-1"}}, false},
		// A policy that denies by a negated operator therefore also denies requests without the key.
		{"StringNotEquals: an absent key",
			allowIf(`StringNotEquals: {aws:RequestedRegion: us-east-1}`), "ses:SendEmail", "*", nil, true},
		{"StringNotEqualsIgnoreCase", allowIf(`StringNotEqualsIgnoreCase: {aws:RequestedRegion: EU-WEST-1}`),
			"ses:SendEmail", "*", map[string][]string{"aws:RequestedRegion": {"eu-west-1"}}, false},
		{"StringNotLike", allowIf(`StringNotLike: {aws:RequestedRegion: 'us-*'}`),
			"ses:SendEmail", "*", map[string][]string{"aws:RequestedRegion": {"us-east-1"}}, false},
		// A policy may write the boolean as one or as a string; IAM accepts both.
		{"Null true: the key is absent", allowIf(`'Null': {ses:FromAddress: true}`), "ses:SendEmail", "*", nil, true},
		{"Null false: the key is there", allowIf(`'Null': {ses:FromAddress: 'false'}`),
			"ses:SendEmail", "*", map[string][]string{"ses:FromAddress": {"a@example.com"}}, true},
		{"Bool", denyIf(`Bool: {aws:SecureTransport: false}`),
			"ses:SendEmail", "*", map[string][]string{"aws:SecureTransport": {"true"}}, true},
		{"keys have no case", allowIf(`StringEquals: {AWS:requestedregion: eu-west-1}`),
			"ses:SendEmail", "*", map[string][]string{"aws:RequestedRegion": {"eu-west-1"}}, true},
		{"all operators must hold",
			allowIf(`StringEquals: {aws:RequestedRegion: eu-west-1}, StringLike: {ses:FromAddress: 'b@*'}`),
			"ses:SendEmail", "*",
			map[string][]string{"aws:RequestedRegion": {"eu-west-1"}, "ses:FromAddress": {"a@example.com"}}, false},
		{"all keys of an operator must hold",
			allowIf(`StringEquals: {aws:RequestedRegion: eu-west-1, ses:FromAddress: b@example.com}`),
			"ses:SendEmail", "*",
			map[string][]string{"aws:RequestedRegion": {"eu-west-1"}, "ses:FromAddress": {"a@example.com"}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			policy := mustCompile(t, templatetest.WithPolicies("- Statement: "+c.statements))
			if got := allows(policy, c.action, c.resource, c.keys); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// allowIf returns a statement that allows everything under conditions.
func allowIf(conditions string) string {
	return `[{Effect: Allow, Action: '*', Resource: '*', Condition: {` + conditions + `}}]`
}

// denyIf returns statements that allow everything, and deny it under conditions.
func denyIf(conditions string) string {
	return `[{Effect: Allow, Action: '*', Resource: '*'},
		{Effect: Deny, Action: '*', Resource: '*', Condition: {` + conditions + `}}]`
}

// TestPoliciesOfAFunctionAddUp shows that the statements of all documents count, and that a condition can drop
// a document.
func TestPoliciesOfAFunctionAddUp(t *testing.T) {
	policy := mustCompile(t, templatetest.WithPolicies(`
- Version: '2012-10-17'
  Statement: [{Sid: Read, Effect: Allow, Action: dynamodb:GetItem, Resource: '*'}]
- Statement: [{Effect: Allow, Action: dynamodb:PutItem, Resource: '*'}]
- !If [Never, {Statement: [{Effect: Allow, Action: '*', Resource: '*'}]}, !Ref AWS::NoValue]
`)+"Conditions: {Never: !Equals [a, b]}\n")
	for action, want := range map[string]bool{
		"dynamodb:GetItem": true, "dynamodb:PutItem": true, "dynamodb:Query": false,
	} {
		if got := allows(policy, action, tableARN, nil); got != want {
			t.Errorf("%s allowed: %v, want %v", action, got, want)
		}
	}
}

// TestADenyOnOneResourceWins although another resource of the same permission is allowed, as an address and its domain
// are two identities of SES.
func TestADenyOnOneResourceWins(t *testing.T) {
	policy := mustCompile(t, templatetest.WithPolicies(`
- Statement:
  - {Effect: Allow, Action: ses:SendRawEmail, Resource: 'arn:aws:ses:*:*:identity/example.com'}
  - {Effect: Deny, Action: ses:SendRawEmail, Resource: 'arn:aws:ses:*:*:identity/desk@example.com'}
`))
	desk, domain := "arn:aws:ses:x:1:identity/desk@example.com", "arn:aws:ses:x:1:identity/example.com"
	for _, resources := range [][]string{{desk, domain}, {domain, desk}} {
		got := iam.Permission{Action: "ses:SendRawEmail", Resources: resources}.Grant(policy)
		expect.Equal(t, "decision", got, iam.ExplicitDeny)
	}
}

// TestFunctionWithoutPoliciesMayDoNothing shows the default of IAM: nothing is allowed.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
func TestFunctionWithoutPoliciesMayDoNothing(t *testing.T) {
	policy := mustCompile(t, "Resources: {F: {Type: AWS::Serverless::Function}}")
	if allows(policy, "dynamodb:GetItem", tableARN, nil) {
		t.Error("allowed")
	}
}

// TestPolicyMistakesNameTheirLine shows that whatever the package does not know is an error at its line. IAM accepts
// some of these. Here they are errors, because a statement that is read in part could allow too much.
func TestPolicyMistakesNameTheirLine(t *testing.T) {
	// statement returns a policy with one statement of these lines, each indented as an element of the statement.
	statement := func(lines string) string {
		return "- Statement:\n    - " + strings.ReplaceAll(lines, "\n", "\n      ")
	}
	for _, c := range []struct{ name, policies, want string }{
		{"a managed policy", "- AWSLambdaExecute # here",
			"the managed policy AWSLambdaExecute is not known here: write its statements out"},
		{"a managed policy's ARN", "- !Sub 'arn:${AWS::Partition}:iam::aws:policy/X' # here",
			"the managed policy arn:aws:iam::aws:policy/X is not known here: write its statements out"},
		{"a policy template of SAM", "- DynamoDBReadPolicy: {TableName: x} # here",
			"the policy template DynamoDBReadPolicy is not known here: write its statements out"},
		{"an unknown version",
			"- Version: '2020-01-01' # here\n  Statement: []", "the policy version 2020-01-01 is not known"},
		{"an unknown element of a policy", "- Statement: []\n  Rules: [] # here", "Rules is not known in a policy"},
		{"no statement", "- Version: '2012-10-17' # here", "a policy needs a Statement"},
		{"a statement that is a string", "- Statement: allow # here", "a mapping is wanted here"},
		{"an unknown element of a statement",
			statement("Effect: Allow\nPrincipal: '*' # here"), "Principal is not known in a policy's statement"},
		{"no effect", statement("Action: '*' # here\nResource: '*'"), "a statement needs Effect"},
		{"no action", statement("Effect: Allow # here\nResource: '*'"), "a statement needs Action"},
		{"no resource", statement("Effect: Allow # here\nAction: '*'"), "a statement needs Resource"},
		{"an effect that is none", statement("Effect: allow # here"), "an Effect is Allow or Deny"},
		{"Action and NotAction",
			statement("Action: '*'\nNotAction: a:b # here"), "a statement has one of Action and NotAction"},
		{"an action without service",
			statement("Action:\n  - dynamodb:GetItem\n  - GetItem # here"), `"GetItem" is no action of a service`},
		{"an action of all services", statement("Action: '*:GetItem' # here"), `"*:GetItem" is no action of a service`},
		{"a resource that is no ARN", statement("Resource: desk-Table # here"), `"desk-Table" is no ARN`},
		{"a resource with too few parts",
			statement("Resource: 'arn:aws:dynamodb:*' # here"), `"arn:aws:dynamodb:*" is no ARN`},
		{"an empty list", statement("Action: [] # here"), "a policy's list must not be empty"},
		{"a policy variable", statement("Resource: 'arn:aws:s3:::x/${!aws:username}' # here"),
			"the policy variable in arn:aws:s3:::x/${!aws:username} is not known"},
		// Sub turns ${!x} into ${x}, so the error shows the variable as IAM would get it.
		{"a policy variable, by Sub", statement("Resource: !Sub 'arn:aws:s3:::x/${!aws:username}' # here"),
			"the policy variable in arn:aws:s3:::x/${aws:username} is not known"},
		{"an unknown operator", statement("Condition:\n  NumericEquals: {aws:RequestedRegion: 1} # here"),
			"the condition operator NumericEquals is not known"},
		{"an operator with IfExists", statement("Condition:\n  StringEqualsIfExists: {aws:RequestedRegion: a} # here"),
			"the condition operator StringEqualsIfExists is not known"},
		{"a quantifier of nothing", statement("Condition:\n  'ForAllValues:': {aws:RequestedRegion: a} # here"),
			"the condition operator ForAllValues: is not known"},
		{"an unknown key", statement("Condition:\n  StringEquals: {dynamodb:Select: a} # here"),
			"the condition key dynamodb:Select is not known"},
		{"leading keys without quantifier", statement("Condition:\n  StringLike: {dynamodb:LeadingKeys: a} # here"),
			"dynamodb:LeadingKeys has several values: StringLike needs ForAllValues or ForAnyValue"},
		{"Null with a quantifier", statement("Condition:\n  ForAllValues:Null: {dynamodb:LeadingKeys: true} # here"),
			"Null takes no ForAllValues"},
		{"a truth value in words", statement("Condition:\n  Bool: {aws:SecureTransport: maybe} # here"),
			`true or false is wanted here, not "maybe"`},
		{"a condition that is a list", statement("Condition:\n  Bool: [a] # here"), "a mapping is wanted here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := templatetest.WithPolicies(c.policies)
			_, err := iam.Compile(templatetest.MustParse(t, source).Functions[0].Policies)
			templatetest.WantErrorHere(t, source, err, c.want)
		})
	}
}

// FuzzCompile: no policies, however odd, make Compile panic, and every error names the file. The name stands before the
// message, so that a reader of the log can open the line.
func FuzzCompile(f *testing.F) {
	f.Add("- Statement: [{Effect: Allow, Action: '*', Resource: '*'}]")
	f.Add("Statement: {Effect: Deny, NotAction: [a:b], NotResource: '*', " +
		"Condition: {Bool: {aws:SecureTransport: true}}}")
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
