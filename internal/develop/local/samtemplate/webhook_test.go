package samtemplate_test

import (
	"reflect"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/samtemplate"
	"frontdesk/internal/prove/samtemplatetest"
)

// webhookTemplate has a rule with two targets: a webhook, and a queue, which is not on this machine.
const webhookTemplate = `
Transform: AWS::Serverless-2016-10-31
Parameters:
  Secret: {Type: String, Default: s3cret, NoEcho: true}
Resources:
  Lost: {Type: AWS::SQS::Queue}
  Connection: {Type: AWS::Events::Connection, Properties: {AuthorizationType: API_KEY,
    AuthParameters: {ApiKeyAuthParameters: {ApiKeyName: x-secret, ApiKeyValue: !Ref Secret}}}}
  Webhook: {Type: AWS::Events::ApiDestination, Properties: {HttpMethod: POST,
    ConnectionArn: !GetAtt Connection.Arn, InvocationEndpoint: 'https://www.example.com/events'}}
  Rule: {Type: AWS::Events::Rule, Properties: {EventPattern: {source: [aws.ses]}, Targets: [
    {Id: queue, Arn: !GetAtt Lost.Arn},
    {Id: webhook, Arn: !GetAtt Webhook.Arn, RetryPolicy: {MaximumRetryAttempts: 3},
      DeadLetterConfig: {Arn: !GetAtt Lost.Arn}}]}}
`

// TestWebhooksOfRules reads a rule whose target is an API destination.
func TestWebhooksOfRules(t *testing.T) {
	loaded := samtemplatetest.MustParse(t, webhookTemplate)
	if len(loaded.Rules) != 1 || loaded.Rules[0].Webhook == nil {
		t.Fatalf("rules %+v, want that of the webhook", loaded.Rules)
	}
	want := samtemplate.Webhook{
		RuleARN: "arn:aws:events:eu-west-1:123456789012:rule/desk-Rule",
		ARN:     "arn:aws:events:eu-west-1:123456789012:api-destination/desk-Webhook/local",
		Method:  "POST", URL: "https://www.example.com/events", Header: "x-secret", Secret: "s3cret",
		Retries: 3, DeadLetterQueue: "desk-Lost",
	}
	if got := *loaded.Rules[0].Webhook; !reflect.DeepEqual(got, want) {
		t.Errorf("webhook %+v, want %+v", got, want)
	}
	// CloudFormation shows nobody a parameter with NoEcho.
	if got := loaded.Parameters["Secret"]; got != "****" {
		t.Errorf("the secret is told as %q", got)
	}
}

// TestWebhooksThatAreNotKnown: whatever would change what the webhook gets is an error, and not left out.
func TestWebhooksThatAreNotKnown(t *testing.T) {
	for name, c := range map[string]struct{ old, changed, want string }{
		"an input of its own": {
			"{Id: webhook,", "{Id: webhook, Input: x,", "Input of a target of Rule is not known",
		},
		"a rule that is switched off": {
			"{EventPattern:", "{State: DISABLED, EventPattern:", "State of the rule Rule is not known",
		},
		"no pattern": {"EventPattern: {source: [aws.ses]},", "", "the rule Rule needs an EventPattern"},
		"another authorization": {
			"ApiKeyAuthParameters: {", "BasicAuthParameters: {",
			"BasicAuthParameters of AuthParameters of Connection is not known",
		},
		"a connection elsewhere": {
			"!GetAtt Connection.Arn", "arn:aws:events:eu-west-1:123456789012:connection/other",
			"the connection of Webhook is not in this template",
		},
		"no method":            {"HttpMethod: POST,", "", "Webhook needs HttpMethod"},
		"a target without ARN": {"{Id: queue, Arn: !GetAtt Lost.Arn}", "{Id: queue}", "a target of Rule has no Arn"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := samtemplatetest.Parse(t, strings.Replace(webhookTemplate, c.old, c.changed, 1), nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
