package samtemplate_test

import (
	"strings"
	"testing"

	"frontdesk/internal/prove/samtemplatetest"
)

// expressionTemplate has an expression as the value of a function's variable. The %s is a line of its own. Its
// resources are there to be referred to.
const expressionTemplate = `
Parameters:
  Name: {Type: String, Default: desk}
  Zones: {Type: String, Default: 'a,b,c'}
Conditions:
  Yes: !Equals [!Ref Name, desk]
  No: !Equals [!Ref Name, other]
Resources:
  Queue: {Type: AWS::SQS::Queue}
  Kept: {Type: AWS::SSM::Parameter, Properties: {Type: String, Value: !Sub 'kept-${Queue}'}}
  Gone: {Type: AWS::SQS::Queue, Condition: No}
  Named: {Type: AWS::Events::Rule, Properties: {Name: mine}}
  Role: {Type: AWS::IAM::Role}
  Connection: {Type: AWS::Events::Connection}
  Destination: {Type: AWS::Events::ApiDestination}
  Api: {Type: AWS::Serverless::HttpApi}
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

// TestIntrinsicsBecomeTheirValues shows each intrinsic, and the names of resources that SAM generates.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
func TestIntrinsicsBecomeTheirValues(t *testing.T) {
	for _, c := range []struct{ name, expression, want string }{
		{"Ref: a parameter", `!Ref Name`, "desk"},
		{"Ref: a resource is stack and logical id", `!Ref Queue`, "desk-Queue"},
		// Nobody writes these resources into the template: SAM derives their logical ids from those of the function and
		// the API.
		{"Ref: a rule that SAM makes", `!Ref FHappened`, "desk-FHappened"},
		{"Ref: the stage that SAM makes", `!Ref ApiApiGatewayDefaultStage`, "desk-ApiApiGatewayDefaultStage"},
		{"Ref: AWS::Region", `!Ref AWS::Region`, "eu-west-1"},
		{"Ref: AWS::AccountId", `!Ref AWS::AccountId`, "123456789012"},
		{"Ref: AWS::Partition", `!Ref AWS::Partition`, "aws"},
		{"Ref: AWS::StackName", `!Ref AWS::StackName`, "desk"},
		{"Ref: AWS::URLSuffix", `!Ref AWS::URLSuffix`, "amazonaws.com"},
		// The property is absent, as if the line did not exist. An empty string would be a value.
		{"Ref: AWS::NoValue removes the property", `!Ref AWS::NoValue`, "(absent)"},

		{"GetAtt: a queue", `!GetAtt Queue.Arn`, "arn:aws:sqs:eu-west-1:123456789012:desk-Queue"},
		{"GetAtt: a role", `!GetAtt Role.Arn`, "arn:aws:iam::123456789012:role/desk-Role"},
		{"GetAtt: a rule", `!GetAtt FHappened.Arn`, "arn:aws:events:eu-west-1:123456789012:rule/desk-FHappened"},
		{"GetAtt: a connection", `!GetAtt Connection.Arn`,
			"arn:aws:events:eu-west-1:123456789012:connection/desk-Connection/local"},
		{"GetAtt: an API destination", `!GetAtt Destination.Arn`,
			"arn:aws:events:eu-west-1:123456789012:api-destination/desk-Destination/local"},
		{"GetAtt: what a parameter of SSM keeps", `!GetAtt Kept.Value`, "kept-desk-Queue"},

		{"Sub", `!Sub '${Name}-${AWS::Region}'`, "desk-eu-west-1"},
		{"Sub: a resource and an attribute",
			`!Sub '${Queue} ${Queue.Arn}'`, "desk-Queue arn:aws:sqs:eu-west-1:123456789012:desk-Queue"},
		{"Sub: a literal", `!Sub '${!Name} is ${Name}'`, "${Name} is desk"},
		{"Sub: a dollar sign alone", `!Sub '5$ {x}'`, "5$ {x}"},
		{"Sub: several lines", "!Sub |\n  a ${Name}\n  b", "a desk\nb\n"},

		{"If: yes", `!If [Yes, a, b]`, "a"},
		{"If: no", `!If [No, a, !Ref Name]`, "desk"},
		{"If: nothing", `!If [No, a, !Ref AWS::NoValue]`, "(absent)"},
		// CloudFormation evaluates the chosen branch only.
		{"If: what it does not choose may refer to what does not exist", `!If [No, !Ref Gone, b]`, "b"},
		{"If: nested", `!If [Yes, !If [No, a, b], c]`, "b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			template := samtemplatetest.MustParse(t, withExpression(c.expression))
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

// TestConditionsAreEvaluated shows each function of conditions.
func TestConditionsAreEvaluated(t *testing.T) {
	for _, c := range []struct {
		name, expression string
		want             bool
	}{
		{"Equals: alike", `!Equals [a, a]`, true},
		{"Equals: not alike", `!Equals [a, !Ref Name]`, false},
		{"Not", `!Not [!Equals [a, b]]`, true},
		{"And: all", `!And [!Equals [a, a], !Condition Yes]`, true},
		{"And: one is missing", `!And [!Condition Yes, !Equals [a, b]]`, false},
		{"Condition: another one", `!Condition Yes`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			// The condition is asked by an If, because only the result of a condition can be observed.
			source := strings.Replace(withExpression("!If [Asked, yes, no]"), "Conditions:\n",
				"Conditions:\n  Asked: "+c.expression+"\n", 1)
			template := samtemplatetest.MustParse(t, source)
			if got := template.Functions[0].Environment["V"] == "yes"; got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// TestIntrinsicMistakesNameTheirLine shows the error for each mistake. Branches that are not chosen are checked too.
func TestIntrinsicMistakesNameTheirLine(t *testing.T) {
	for _, c := range []struct{ name, expression, want string }{
		{"an unknown function", `!Frobnicate x # here`, "!Frobnicate is not known"},
		{"one of CloudFormation's that the template does not use", `!Join ['-', [a, b]] # here`, "!Join is not known"},
		{"the long form", `Fn::Sub: x # here`, "Fn::Sub is not known: write !Sub"},
		{"the long form of a reference", `{Ref: Name} # here`, "Ref is not known: write !Ref"},
		// CloudFormation refuses the template for it, whatever the condition says.
		{"an unknown function in the branch that is not chosen",
			"!If\n- Yes\n- a\n- !Frobnicate x # here", "!Frobnicate is not known"},
		{"Ref: nothing of that name",
			`!Ref Nobody # here`, "Nobody is neither a parameter nor a resource of this template"},
		{"Ref: a list", `!Ref [Name] # here`, "a string is wanted here"},
		{"Ref: an unknown pseudo parameter",
			`!Ref AWS::StackId # here`, "the pseudo parameter AWS::StackId is not known"},
		// A name that exists and a resource that does not: the error has to say which.
		{"Ref: a resource whose condition is false",
			`!Ref Gone # here`, "Gone does not exist: its condition No is false"},
		{"GetAtt: nothing of that name", `!GetAtt Nobody.Arn # here`, "Nobody is no resource of this template"},
		{"GetAtt: of a parameter", `!GetAtt Name.Arn # here`, "Name is no resource of this template"},
		{"GetAtt: no attribute", `!GetAtt Queue # here`, "!GetAtt wants a resource and its attribute"},
		{"GetAtt: a list", `!GetAtt [Queue, Arn] # here`, "a string is wanted here"},
		{"GetAtt: an unknown attribute",
			`!GetAtt Queue.QueueUrl # here`, "the attribute QueueUrl of an AWS::SQS::Queue is not known"},
		{"Sub: nothing of that name",
			`!Sub 'a ${Nobody}' # here`, "Nobody is neither a parameter nor a resource of this template"},
		{"Sub: an attribute of nothing", `!Sub '${Nobody.Arn}' # here`, "Nobody is no resource of this template"},
		{"Sub: not closed", `!Sub '${Name' # here`, "${Name is not closed"},
		{"Sub: NoValue", `!Sub '${AWS::NoValue}' # here`, "!Sub cannot insert AWS::NoValue"},
		{"Sub: variables of its own", `!Sub ['${A}', {A: b}] # here`, "a string is wanted here"},
		{"If: no such condition", `!If [Never, a, b] # here`, "the condition Never does not exist"},
		{"If: two arguments", `!If [Yes, a] # here`, "!If wants a list of 3"},
		{"Equals: one argument", `!Equals [a] # here`, "!Equals wants a list of 2"},
		{"And: one argument", `!And [!Condition Yes] # here`, "!And wants a list of 2 to 10"},
		{"Not: no condition", `!Not [maybe] # here`, "a condition is wanted here"},
		{"Split: where a string is wanted", `!Split [',', !Ref Zones] # here`, "a string is wanted here"},
		{"Split: an empty delimiter", `!Split ['', a] # here`, "!Split wants a delimiter that is not empty"},
		{"a string is wanted", `!Split [!Ref AWS::NoValue, a] # here`, "a string is wanted here, not AWS::NoValue"},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := withExpression(c.expression)
			_, err := samtemplatetest.Parse(t, source, nil)
			samtemplatetest.WantErrorHere(t, source, err, c.want)
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
			_, err := samtemplatetest.Parse(t, source, nil)
			samtemplatetest.WantErrorHere(t, source, err, "!Frobnicate is not known")
		})
	}
}

// TestANameOfItsOwnIsNotKnown: what refers to the resource would get another name here than on AWS.
func TestANameOfItsOwnIsNotKnown(t *testing.T) {
	source := strings.Replace(withExpression("!Ref Named"), "{Name: mine}}", "{Name: mine}} # here", 1)
	_, err := samtemplatetest.Parse(t, source, nil)
	samtemplatetest.WantErrorHere(t, source, err, "Name is not known: CloudFormation names what is referred to")
}

// TestCirclesAreErrors shows that a circular reference is an error and not an endless loop.
func TestCirclesAreErrors(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"a condition", "Conditions:\n  A: !Not [!Condition B]\n  B: !Not [!Condition A] # here\n" +
			"Resources: {R: {Type: T, Condition: A}}", "the condition A refers to itself"},
		{"a value", "Resources:\n  P: {Type: AWS::SSM::Parameter, Properties: {Value: !GetAtt P.Value}} # here\n" +
			"  F: {Type: AWS::Serverless::Function, Properties: {Environment: {Variables: {A: !GetAtt P.Value}}}}",
			"the value of P refers to itself"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := samtemplatetest.Parse(t, c.source, nil)
			samtemplatetest.WantErrorHere(t, c.source, err, c.want)
		})
	}
}
