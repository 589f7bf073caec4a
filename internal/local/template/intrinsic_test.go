package template_test

import (
	"strings"
	"testing"

	"frontdesk/internal/local/template/templatetest"
)

// expressionTemplate has an expression as the value of a function's variable. The %s is a line of its own. Its
// resources are there to be referred to.
const expressionTemplate = `
Parameters:
  Name: {Type: String, Default: desk}
  Zones: {Type: CommaDelimitedList, Default: 'a,b,c'}
Mappings:
  Limits: {prod: {mails: 50}, dev: {mails: 5}}
Conditions:
  Yes: !Equals [!Ref Name, desk]
  No: {'Fn::Equals': [{Ref: Name}, other]}
Resources:
  Table:
    Type: AWS::DynamoDB::Table
    Properties: {KeySchema: [{AttributeName: id, KeyType: HASH}]}
  Queue: {Type: AWS::SQS::Queue}
  Kept: {Type: AWS::SSM::Parameter, Properties: {Type: String, Value: !Sub 'kept-${Queue}'}}
  Logs: {Type: AWS::Logs::LogGroup}
  Identity: {Type: AWS::SES::EmailIdentity, Properties: {EmailIdentity: example.com}}
  Gone: {Type: AWS::SQS::Queue, Condition: No}
  Api: {Type: AWS::Serverless::HttpApi, Properties: {StageName: v1}}
  F:
    Type: AWS::Serverless::Function
    Properties:
      Events:
        E: {Type: HttpApi, Properties: {Method: GET, Path: /}}
        Happened: {Type: EventBridgeRule, Properties: {Pattern: {source: [a]}}}
      Environment:
        Variables:
          V:
%s
`

// withExpression returns expressionTemplate with an expression, indented.
func withExpression(expression string) string {
	indented := "            " + strings.ReplaceAll(strings.TrimSpace(expression), "\n", "\n            ")
	return strings.Replace(expressionTemplate, "%s", indented, 1)
}

// TestIntrinsicsBecomeTheirValues shows each intrinsic in both forms, and the names of resources that SAM generates.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
func TestIntrinsicsBecomeTheirValues(t *testing.T) {
	for _, c := range []struct{ name, expression, want string }{
		{"Ref, short: a parameter", `!Ref Name`, "desk"},
		{"Ref, long: a parameter", `{Ref: Name}`, "desk"},
		{"Ref: a resource is stack and logical id", `!Ref Queue`, "desk-Queue"},
		{"Ref: a resource with a name is its name", `!Ref Identity`, "example.com"},
		// Nobody writes these resources into the template: SAM derives their logical ids from those of the function and
		// the API.
		{"Ref: a role that SAM makes", `!Ref FRole`, "desk-FRole"},
		{"Ref: a rule that SAM makes", `!Ref FHappened`, "desk-FHappened"},
		{"Ref: the API that SAM makes", `!Ref ServerlessHttpApi`, "desk-ServerlessHttpApi"},
		{"Ref: the stage that SAM makes", `!Ref Apiv1Stage`, "desk-Apiv1Stage"},
		{"Ref: AWS::Region", `!Ref AWS::Region`, "eu-west-1"},
		{"Ref: AWS::AccountId", `!Ref AWS::AccountId`, "123456789012"},
		{"Ref: AWS::Partition", `!Ref AWS::Partition`, "aws"},
		{"Ref: AWS::StackName", `!Ref AWS::StackName`, "desk"},
		{"Ref: AWS::StackId", `!Ref AWS::StackId`, "arn:aws:cloudformation:eu-west-1:123456789012:stack/desk/local"},
		{"Ref: AWS::URLSuffix", `!Ref AWS::URLSuffix`, "amazonaws.com"},
		// The property is absent, as if the line did not exist. An empty string would be a value.
		{"Ref: AWS::NoValue removes the property", `!Ref AWS::NoValue`, "(absent)"},

		{"GetAtt, short", `!GetAtt Table.Arn`, "arn:aws:dynamodb:eu-west-1:123456789012:table/desk-Table"},
		{"GetAtt, short with a list",
			`!GetAtt [Table, Arn]`, "arn:aws:dynamodb:eu-west-1:123456789012:table/desk-Table"},
		{"GetAtt, long", `{'Fn::GetAtt': [Table, Arn]}`, "arn:aws:dynamodb:eu-west-1:123456789012:table/desk-Table"},
		{"GetAtt, long with a string",
			`{'Fn::GetAtt': Table.Arn}`, "arn:aws:dynamodb:eu-west-1:123456789012:table/desk-Table"},
		{"GetAtt: a table's stream",
			`!GetAtt Table.StreamArn`, "arn:aws:dynamodb:eu-west-1:123456789012:table/desk-Table/stream/local"},
		{"GetAtt: a function", `!GetAtt F.Arn`, "arn:aws:lambda:eu-west-1:123456789012:function:desk-F"},
		{"GetAtt: a role", `!GetAtt FRole.Arn`, "arn:aws:iam::123456789012:role/desk-FRole"},
		{"GetAtt: a log group", `!GetAtt Logs.Arn`, "arn:aws:logs:eu-west-1:123456789012:log-group:desk-Logs:*"},
		{"GetAtt: a rule", `!GetAtt FHappened.Arn`, "arn:aws:events:eu-west-1:123456789012:rule/desk-FHappened"},
		// The forms above differ by service. All other resources get the commonest one.
		{"GetAtt: any other arn", `!GetAtt Queue.Arn`, "arn:aws:sqs:eu-west-1:123456789012:desk-Queue"},
		{"GetAtt: what a parameter of SSM keeps", `!GetAtt Kept.Value`, "kept-desk-Queue"},
		// Nothing in the stack has this value, but a template that uses it must still load.
		{"GetAtt: what is no arn", `!GetAtt Queue.QueueName`, "desk-Queue.QueueName"},

		{"Sub, short", `!Sub '${Name}-${AWS::Region}'`, "desk-eu-west-1"},
		{"Sub, long", `{'Fn::Sub': 'a${Name}b'}`, "adeskb"},
		{"Sub: a resource and an attribute",
			`!Sub '${Table} ${Queue.Arn}'`, "desk-Table arn:aws:sqs:eu-west-1:123456789012:desk-Queue"},
		{"Sub: variables of its own", `!Sub ['${A}/${Name}', {A: !Ref Queue}]`, "desk-Queue/desk"},
		{"Sub: a variable of its own hides a parameter", `!Sub ['${Name}', {Name: !Join ['', [a, b]]}]`, "ab"},
		{"Sub: a literal", `!Sub '${!Name} is ${Name}'`, "${Name} is desk"},
		// Otherwise a parameter's value could refer to a resource.
		{"Sub: a value is not searched again", `!Sub ['${A}', {A: '${Name}'}]`, "${Name}"},
		{"Sub: a dollar sign alone", `!Sub '5$ {x}'`, "5$ {x}"},
		{"Sub: several lines", "!Sub |\n  a ${Name}\n  b", "a desk\nb\n"},

		{"If: yes", `!If [Yes, a, b]`, "a"},
		{"If: no", `{'Fn::If': [No, a, {Ref: Name}]}`, "desk"},
		{"If: nothing", `!If [No, a, !Ref AWS::NoValue]`, "(absent)"},
		// CloudFormation evaluates the chosen branch only.
		{"If: what it does not choose may refer to what does not exist", `!If [No, !Ref Gone, b]`, "b"},
		{"If: nested", `!If [Yes, !If [No, a, b], c]`, "b"},

		{"Join", `!Join ['-', [a, !Ref Name, b]]`, "a-desk-b"},
		{"Join: a list that an intrinsic gives", `{'Fn::Join': ['', !Ref Zones]}`, "abc"},
		{"Join: NoValue is left out", `!Join ['-', [a, !Ref AWS::NoValue, b]]`, "a-b"},
		{"Split and Select", `!Select [1, !Split ['-', a-b-c]]`, "b"},
		// An index may also be a string, as the value of a parameter is.
		{"Select: from a parameter, by a string", `{'Fn::Select': ['2', !Ref Zones]}`, "c"},
		{"FindInMap", `!FindInMap [Limits, prod, mails]`, "50"},
		{"FindInMap: keys that intrinsics give", `!FindInMap [Limits, !Select [0, [dev]], mails]`, "5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			template := templatetest.MustParse(t, withExpression(c.expression))
			got, ok := template.Functions[0].Environment["V"]
			if !ok {
				got = "(absent)"
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestConditionsAreEvaluated shows each function of conditions in both forms.
func TestConditionsAreEvaluated(t *testing.T) {
	for _, c := range []struct {
		name, expression string
		want             bool
	}{
		{"Equals: alike", `!Equals [a, a]`, true},
		{"Equals: not alike", `{'Fn::Equals': [a, !Ref Name]}`, false},
		{"Not", `!Not [!Equals [a, b]]`, true},
		{"And: all", `!And [!Equals [a, a], !Condition Yes]`, true},
		{"And: one is missing", `{'Fn::And': [{Condition: Yes}, !Equals [a, b]]}`, false},
		{"Or: one", `!Or [!Equals [a, b], !Condition Yes]`, true},
		{"Or: none", `{'Fn::Or': [!Equals [a, b], {'Fn::Not': [{Condition: Yes}]}]}`, false},
		{"Condition: another one", `!Condition Yes`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			// The condition is asked by an If, because only the result of a condition can be observed.
			source := strings.Replace(withExpression("!If [Asked, yes, no]"), "Conditions:\n",
				"Conditions:\n  Asked: "+c.expression+"\n", 1)
			template := templatetest.MustParse(t, source)
			if got := template.Functions[0].Environment["V"] == "yes"; got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// TestIntrinsicMistakesNameTheirLine shows the error for each mistake. Branches that are not chosen are checked too.
func TestIntrinsicMistakesNameTheirLine(t *testing.T) {
	for _, c := range []struct{ name, expression, want string }{
		{"an unknown tag", `!Frobnicate x # here`, "!Frobnicate is not known"},
		{"an unknown function", `Fn::Frobnicate: x # here`, "Fn::Frobnicate is not known"},
		{"Ref in the form of a function", `Fn::Ref: Name # here`, "Fn::Ref is not known"},
		// CloudFormation refuses the template for it, whatever the condition says.
		{"an unknown function in the branch that is not chosen",
			"Fn::If:\n  - Yes\n  - a\n  - !Frobnicate x # here", "!Frobnicate is not known"},
		{"an intrinsic beside other keys", "Fn::Sub: x # here\na: b", "Fn::Sub must be the only key of its mapping"},
		{"Ref: nothing of that name",
			`!Ref Nobody # here`, "Nobody is neither a parameter nor a resource of this template"},
		{"Ref: a list", `!Ref [Name] # here`, "a string is wanted here"},
		{"Ref: an unknown pseudo parameter", `!Ref AWS::Moon # here`, "the pseudo parameter AWS::Moon is not known"},
		// A name that exists and a resource that does not: the error has to say which.
		{"Ref: a resource whose condition is false",
			`!Ref Gone # here`, "Gone does not exist: its condition No is false"},
		{"Ref: a list where a string is wanted", `!Ref Zones # here`, "a string is wanted here"},
		{"GetAtt: nothing of that name", `!GetAtt Nobody.Arn # here`, "Nobody is no resource of this template"},
		{"GetAtt: of a parameter", `!GetAtt Name.Arn # here`, "Name is no resource of this template"},
		{"GetAtt: no attribute", `!GetAtt Table # here`, "!GetAtt wants a resource and its attribute"},
		{"GetAtt: three parts", `!GetAtt [Table, A, B] # here`, "!GetAtt wants a list of 2"},
		{"Sub: nothing of that name",
			`!Sub 'a ${Nobody}' # here`, "Nobody is neither a parameter nor a resource of this template"},
		{"Sub: an attribute of nothing", `!Sub '${Nobody.Arn}' # here`, "Nobody is no resource of this template"},
		{"Sub: not closed", `!Sub '${Name' # here`, "${Name is not closed"},
		{"Sub: NoValue", `!Sub '${AWS::NoValue}' # here`, "!Sub cannot insert AWS::NoValue"},
		{"Sub: a list", `!Sub '${Zones}' # here`, "a string is wanted here"},
		{"Sub: variables that are no mapping", `!Sub ['a', b] # here`, "a mapping is wanted here"},
		{"Sub: a text that is a list", `!Sub [[a], {}] # here`, "a string is wanted here"},
		{"If: no such condition", `!If [Never, a, b] # here`, "the condition Never does not exist"},
		{"If: two arguments", `!If [Yes, a] # here`, "!If wants a list of 3"},
		{"Equals: one argument", `!Equals [a] # here`, "!Equals wants a list of 2"},
		{"And: one argument", `!And [!Condition Yes] # here`, "!And wants a list of 2 to 10"},
		{"Not: no condition", `!Not [maybe] # here`, "a condition is wanted here"},
		{"Join: no list", `!Join ['-', a] # here`, "!Join wants a list here"},
		{"Join: a list in the list", `!Join ['-', [[a]]] # here`, "a string is wanted here"},
		{"Split: an empty delimiter", `!Split ['', a] # here`, "!Split wants a delimiter that is not empty"},
		{"Select: too far", `!Select [3, !Ref Zones] # here`, "!Select has no element 3"},
		{"Select: no number", `!Select [x, [a]] # here`, "!Select has no element x"},
		{"FindInMap: no such entry",
			`!FindInMap [Limits, prod, pages] # here`, "the mapping Limits.prod.pages does not exist"},
		{"a string is wanted", `!Join [!Ref AWS::NoValue, [a]] # here`, "a string is wanted here, not AWS::NoValue"},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := withExpression(c.expression)
			_, err := templatetest.Parse(t, source, nil)
			templatetest.WantErrorHere(t, source, err, c.want)
		})
	}
}

// TestUnknownIntrinsicsAreFoundEverywhere shows that a template is checked also where the stack does not use it:
// deploying it would fail there.
func TestUnknownIntrinsicsAreFoundEverywhere(t *testing.T) {
	for _, source := range []string{
		"Globals:\n  Function:\n    Tags: {a: !Frobnicate b} # here\nResources: {}",
		"Conditions:\n  C: !Frobnicate b # here\nResources: {}",
		"Resources:\n  R:\n    Type: AWS::CloudWatch::Alarm\n    Properties:\n" +
			"      Actions:\n        - !Frobnicate b # here",
		"Conditions: {No: !Equals [a, b]}\n" +
			"Resources:\n  R:\n    Type: T\n    Condition: No\n    Properties: !Frobnicate b # here",
		"Resources: {}\nOutputs:\n  O:\n    Value: !Frobnicate b # here",
	} {
		section, _, _ := strings.Cut(source, ":")
		t.Run(section, func(t *testing.T) {
			_, err := templatetest.Parse(t, source, nil)
			templatetest.WantErrorHere(t, source, err, "!Frobnicate is not known")
		})
	}
}

// TestCirclesAreErrors shows that a circular reference is an error and not an endless loop.
func TestCirclesAreErrors(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"a condition", "Conditions:\n  A: !Not [!Condition B]\n  B: !Not [!Condition A] # here\n" +
			"Resources: {R: {Type: T, Condition: A}}", "the condition A refers to itself"},
		{"a name", "Resources:\n  T:\n    Type: AWS::DynamoDB::Table\n    Properties:\n" +
			"      TableName: !Ref T # here\n      KeySchema: [{AttributeName: a, KeyType: HASH}]",
			"the name of T refers to itself"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := templatetest.Parse(t, c.source, nil)
			templatetest.WantErrorHere(t, c.source, err, c.want)
		})
	}
}
