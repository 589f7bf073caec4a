package samtemplate_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/develop/local/samtemplate"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/samtemplatetest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// sampleTemplate is a small version of frontdesk's own template, with one resource of each kind that is read.
// Conditions, globals and intrinsics stand where the real one has them.
const sampleTemplate = `
AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Parameters:
  Frontend: {Type: String, Default: 'https://desk.example'}
  ConfigurationSet: {Type: String, Default: ''}
Conditions:
  HasConfigurationSet: !Not [!Equals [!Ref ConfigurationSet, '']]
Globals:
  Function:
    Timeout: 10
    Environment:
      Variables:
        TABLE_NAME: !Ref Table
        STAGE: all
Resources:
  Table:
    Type: AWS::DynamoDB::Table
    DeletionPolicy: Retain
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions:
        - {AttributeName: PK, AttributeType: S}
        - {AttributeName: SK, AttributeType: S}
      KeySchema:
        - {AttributeName: PK, KeyType: HASH}
        - {AttributeName: SK, KeyType: RANGE}
      TimeToLiveSpecification: {AttributeName: expires_at, Enabled: true}
      PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}
  SendFunction:
    Type: AWS::Serverless::Function
    Metadata: {BuildMethod: makefile}
    Properties:
      MemorySize: 1769
      Environment:
        Variables:
          STAGE: mail
          CONFIGURATION_SET: !If [HasConfigurationSet, !Ref ConfigurationSet, !Ref AWS::NoValue]
      Events:
        Send: {Type: HttpApi, Properties: {ApiId: !Ref Api, Method: post, Path: /sender.php}}
        Mails: {Type: EventBridgeRule, Properties: {Pattern: {source: [aws.ses], region: [!Ref AWS::Region]}}}
      EventInvokeConfig: {MaximumRetryAttempts: 1}
  DocsFunction:
    Type: AWS::Serverless::Function
    Properties:
      Timeout: 29
      Events:
        Docs: {Type: HttpApi, Properties: {ApiId: !Ref Api, Method: ANY, Path: '/docs/{proxy+}'}}
  SetFunction:
    Type: AWS::Serverless::Function
    Condition: HasConfigurationSet
    Properties: {}
  Set: {Type: AWS::SES::ConfigurationSet}
  Published: {Type: AWS::SES::ConfigurationSetEventDestination, Properties: {ConfigurationSetName: !Ref Set,
    EventDestination: {Enabled: true, MatchingEventTypes: [send, deliveryDelay],
      EventBridgeDestination: {EventBusArn: default}}}}
  Counted: {Type: AWS::SES::ConfigurationSetEventDestination, Properties: {ConfigurationSetName: !Ref Set,
    EventDestination: {MatchingEventTypes: [send], CloudWatchDestination: {}}}}
  Off: {Type: AWS::SES::ConfigurationSetEventDestination, Properties: {ConfigurationSetName: !Ref Set,
    EventDestination: {Enabled: false, MatchingEventTypes: [send], EventBridgeDestination: {EventBusArn: default}}}}
  Api:
    Type: AWS::Serverless::HttpApi
    Properties: {DisableExecuteApiEndpoint: false}
Outputs:
  Url: {Value: !Sub 'https://${Api}.execute-api.${AWS::Region}.${AWS::URLSuffix}'}
`

// TestTemplateIsWhatTheStackNeeds compares everything that is read from the sample.
func TestTemplateIsWhatTheStackNeeds(t *testing.T) {
	// SetFunction is missing below: its condition is false without a ConfigurationSet.
	loaded := samtemplatetest.MustParse(t, sampleTemplate)
	functions := []samtemplate.Function{
		{
			LogicalID: "SendFunction", Timeout: 10 * time.Second, MemoryMB: 1769, Retries: 1,
			Environment: map[string]string{"TABLE_NAME": "desk-Table", "STAGE": "mail"},
		},
		{
			LogicalID: "DocsFunction", Timeout: 29 * time.Second, MemoryMB: 128, Retries: 2,
			Environment: map[string]string{"TABLE_NAME": "desk-Table", "STAGE": "all"},
		},
	}
	if !reflect.DeepEqual(loaded.Functions, functions) {
		t.Errorf("functions %+v, want %+v", loaded.Functions, functions)
	}
	// The method of the event is in lower case. API Gateway knows it in capitals.
	routes := []samtemplate.Route{
		{Method: "POST", Path: "/sender.php", Function: "SendFunction"},
		{Method: "ANY", Path: "/docs/{proxy+}", Function: "DocsFunction"},
	}
	if !reflect.DeepEqual(loaded.Routes, routes) {
		t.Errorf("routes %+v, want %+v", loaded.Routes, routes)
	}
	if len(loaded.Rules) != 1 || loaded.Rules[0].Function != "SendFunction" {
		t.Fatalf("rules %+v, want that of SendFunction", loaded.Rules)
	}
	var pattern map[string][]string
	err := loaded.Rules[0].Pattern.Root.Decode(&pattern)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, pattern, map[string][]string{"source": {"aws.ses"}, "region": {"eu-west-1"}})
	// The template has three destinations. One counts in CloudWatch and one is disabled, so one is left.
	destinations := []samtemplate.EventDestination{{Set: "desk-Set", Types: []string{"send", "deliveryDelay"}}}
	if !reflect.DeepEqual(loaded.EventDestinations, destinations) {
		t.Errorf("event destinations %+v, want %+v", loaded.EventDestinations, destinations)
	}
	tables := []samtemplate.Table{{
		Name:         "desk-Table",
		TTLAttribute: "expires_at",
		Recovery:     true,
		Input: &dynamodb.CreateTableInput{
			TableName:   aws.String("desk-Table"),
			BillingMode: types.BillingModePayPerRequest,
			AttributeDefinitions: []types.AttributeDefinition{
				{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS},
				{AttributeName: aws.String("SK"), AttributeType: types.ScalarAttributeTypeS},
			},
			KeySchema: []types.KeySchemaElement{
				{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash},
				{AttributeName: aws.String("SK"), KeyType: types.KeyTypeRange},
			},
		},
	}}
	if !reflect.DeepEqual(loaded.Tables, tables) {
		t.Errorf("tables %+v, want %+v", loaded.Tables, tables)
	}
}

// TestConditionBringsResourcesBack shows that a parameter can switch resources and variables on.
func TestConditionBringsResourcesBack(t *testing.T) {
	template, err := samtemplatetest.Parse(t, sampleTemplate, map[string]string{"ConfigurationSet": "news"})
	if err != nil {
		t.Fatal(err)
	}
	if got := template.Functions[0].Environment["CONFIGURATION_SET"]; got != "news" {
		t.Errorf("CONFIGURATION_SET %q, want news", got)
	}
	if got := template.Functions[len(template.Functions)-1].LogicalID; got != "SetFunction" {
		t.Errorf("last function %s, want SetFunction", got)
	}
}

// TestGlobalsMergeAsInSAM shows that a function's own values win, and that AWS::NoValue restores the service's default.
// Maps are merged by name, other values are replaced.
func TestGlobalsMergeAsInSAM(t *testing.T) {
	template := samtemplatetest.MustParse(t, `
Parameters: {Wide: {Type: String, Default: no}}
Conditions: {IsWide: !Equals [!Ref Wide, yes]}
Globals:
  Function:
    Timeout: 5
    MemorySize: 256
    Environment: {Variables: {A: global, B: global}}
Resources:
  Silent: {Type: AWS::Serverless::Function}
  Own:
    Type: AWS::Serverless::Function
    Properties:
      Timeout: !If [IsWide, 60, 30]
      MemorySize: !Ref AWS::NoValue
      Environment: {Variables: {B: own, C: own}}
`)
	silent, own := template.Functions[0], template.Functions[1]
	if silent.Timeout != 5*time.Second || silent.MemoryMB != 256 {
		t.Errorf("a silent function has %v and %d MB, want the globals", silent.Timeout, silent.MemoryMB)
	}
	if own.Timeout != 30*time.Second || own.MemoryMB != 128 {
		t.Errorf("a function with its own has %v and %d MB, want 30s and 128 MB", own.Timeout, own.MemoryMB)
	}
	// The function's own variables are added to the global ones. B is in both.
	want := map[string]string{"A": "global", "B": "own", "C": "own"}
	if !reflect.DeepEqual(own.Environment, want) {
		t.Errorf("environment %v, want %v", own.Environment, want)
	}
}

// TestTemplateMistakesNameTheirLine shows the error for each mistake in a template. The line is marked "# here".
func TestTemplateMistakesNameTheirLine(t *testing.T) {
	function := func(properties string) string {
		return "Resources:\n  F:\n    Type: AWS::Serverless::Function\n    Properties:\n      " + properties + "\n"
	}
	for _, c := range []struct{ name, source, want string }{
		{"an empty file", "", "the file is empty"},
		{"broken YAML", "Resources:\n  F: a: b # here\n", "mapping values are not allowed in this context"},
		// YAML that CloudFormation does not accept is refused, although the parser reads it.
		{"a macro", "Transform: Mine # here", "the transform Mine is not known"},
		{"an alias", "A: &a x\nB: *a # here", "CloudFormation knows no aliases (*a)"},
		{"a merge key", "A:\n  <<: {b: c} # here", "CloudFormation knows no merge keys (<<)"},
		{"a null", "Resources:\n  F:\n    Type: # here", "CloudFormation knows no null values"},
		{"a key given twice", "A:\n  b: c\n  b: d # here", "b is given twice"},
		{"a key that is a list", "A:\n  ? [b] # here\n  : c", "a key must be a string"},
		{"two transforms", "Transform: [AWS::Serverless-2016-10-31, Mine] # here", "a string is wanted here"},
		{"a resource without type", "Resources:\n  F: {} # here", "the resource F has no Type"},
		{"a resource with a condition that does not exist",
			"Resources:\n  F:\n    Type: T\n    Condition: Gone # here", "the condition Gone does not exist"},
		{"a time-out over Lambda's", function("Timeout: 901 # here"), "a number from 1 to 900 is wanted here"},
		{"a time-out in words", function("Timeout: long # here"), "a number from 1 to 900 is wanted here"},
		{"too little memory", function("MemorySize: 64 # here"), "a number from 128 to 10240 is wanted here"},
		{"a variable that is a list", function("Environment: {Variables: {A: [b]}} # here"), "a string is wanted here"},
		// The policies of such a role are not in the template, so the AWS proxy could not enforce them.
		{"a role made elsewhere", function("Role: arn:aws:iam::1:role/x # here"),
			"Role of the function F is not known"},
		{"an event without path", function("Events: {E: {Type: HttpApi, Properties: {Method: GET}}} # here"),
			"the HttpApi event E needs Method and Path"},
		// The stack makes events of format 2.0 only.
		{"an event of a payload format",
			function("Events: {E: {Type: HttpApi, " +
				"Properties: {Method: GET, Path: /, PayloadFormatVersion: '1.0'}}} # here"),
			"PayloadFormatVersion of the HttpApi event E is not known"},
		{"an event of another type", function("Events: {E: {Type: Schedule}} # here"),
			"the event E is neither an HttpApi nor an EventBridgeRule"},
		{"a list here and in Globals", "Globals: {Function: {Architectures: [arm64]}}\n" +
			function("Architectures: [x86_64] # here"), "a list here and in Globals is not known"},
		{"globals of something else", "Globals:\n  HttpApi: {} # here\nResources: {}",
			"HttpApi of Globals is not known"},
		{"another section", "Mappings: {} # here\nResources: {}", "Mappings of the template is not known"},
		{"a route given twice",
			function("Events: {E: {Type: HttpApi, Properties: {Method: get, Path: /a}}}") +
				"  G: # here\n    Type: AWS::Serverless::Function\n" +
				"    Properties: {Events: {E: {Type: HttpApi, Properties: {Method: GET, Path: /a}}}}\n",
			"G has a route that is taken: GET /a"},
		{"a rule without a pattern", function("Events: {E: {Type: EventBridgeRule, Properties: {}}} # here"),
			"the EventBridgeRule event E needs a Pattern"},
		// Without InputPath the function would get another event here than on AWS.
		{"a rule that changes its events",
			function("Events: {E: {Type: EventBridgeRule, Properties: {Pattern: {a: [b]}, InputPath: $.a}}} # here"),
			"InputPath of the EventBridgeRule event E is not known"},
		{"too many retries", function("EventInvokeConfig: {MaximumRetryAttempts: 3} # here"),
			"a number from 0 to 2 is wanted here"},
		{"an event destination of no types",
			"Resources:\n  D: # here\n    Type: AWS::SES::ConfigurationSetEventDestination\n    Properties: " +
				"{ConfigurationSetName: a, EventDestination: {EventBridgeDestination: {EventBusArn: b}}}",
			"D needs ConfigurationSetName and MatchingEventTypes"},
		{"a table with an index",
			"Resources:\n  T:\n    Type: AWS::DynamoDB::Table\n    Properties:\n" +
				"      GlobalSecondaryIndexes: [] # here",
			"GlobalSecondaryIndexes of the table T is not known"},
		{"a table without a partition key",
			"Resources:\n  T: # here\n    Type: AWS::DynamoDB::Table\n" +
				"    Properties: {KeySchema: [{AttributeName: a, KeyType: RANGE}]}",
			"the table T has no HASH key in its KeySchema"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := samtemplatetest.Parse(t, c.source, nil)
			samtemplatetest.WantErrorHere(t, c.source, err, c.want)
		})
	}
}

// TestMissingTemplateIsAnError shows that the error names what was read.
func TestMissingTemplateIsAnError(t *testing.T) {
	_, err := samtemplate.Load(filepath.Join(t.TempDir(), "none.yaml"), samtemplatetest.Values)
	if err == nil || !strings.HasPrefix(err.Error(), "read template: open ") {
		t.Errorf("error %v, want one that says what was read", err)
	}
}

// FuzzLoadTemplate: no file, however odd, makes Load panic, and every error names the file.
func FuzzLoadTemplate(f *testing.F) {
	f.Add(sampleTemplate)
	f.Add("Resources: {F: {Type: T, Condition: C}}\nConditions: {C: !Condition C}\n")
	f.Add("Resources: {T: {Type: AWS::DynamoDB::Table, " +
		"Properties: {KeySchema: [{AttributeName: 1, KeyType: HASH}]}}}\n")
	f.Add("Outputs: {A: !Sub '${a}${!b}${', B: !Split [',', !GetAtt x]}\n")
	path := filepath.Join(f.TempDir(), "template.yaml")
	f.Fuzz(func(t *testing.T, source string) {
		if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := samtemplate.Load(path, samtemplatetest.Values)
		if err != nil && !strings.HasPrefix(err.Error(), path+":") {
			t.Errorf("error without its file: %v", err)
		}
	})
}
