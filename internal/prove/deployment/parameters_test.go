package deployment_test

import (
	"maps"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/samtemplate"
	"frontdesk/internal/prove/localtest"
)

// withParameters reads template.yaml as CloudFormation does for a new stack that is given these parameters alone.
func withParameters(t *testing.T, parameters map[string]string) (*samtemplate.Template, error) {
	t.Helper()
	return samtemplate.Load(localtest.EditTemplate(t), samtemplate.Values{
		Region: "eu-west-1", AccountID: "123456789012", Partition: "aws", StackName: "desk", Parameters: parameters,
	})
}

// TestParametersThatAreRefused: each case lacks a parameter that its others need. Overrides on the command line take
// the place of those in samconfig.toml, so a stack for tests may lose them at its first deployment.
func TestParametersThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		given   map[string]string
		lacking string // the parameter with which it is taken
		want    string
	}{
		"a stack that does not say its purpose": {
			map[string]string{"DefaultSender": "help@example.com"}, "Purpose=production",
			"the parameter Purpose has neither a value nor a Default"},
		"a test stack without a redirect": {
			map[string]string{"Purpose": "test"}, "RedirectMailTo=tester@example.net",
			"the rule TestIsRedirected: Purpose test needs RedirectMailTo"},
		"a test stack with an empty redirect": {
			map[string]string{"Purpose": "test", "RedirectMailTo": ""}, "RedirectMailTo=tester@example.net",
			"the rule TestIsRedirected: Purpose test needs RedirectMailTo"},
		"another purpose": {
			map[string]string{"Purpose": "staging"}, "Purpose=production",
			"the parameter Purpose must be one of production, test"},
		"a domain without a certificate": {
			map[string]string{"Purpose": "production", "DomainName": "api.example.com"}, "CertificateArn=arn:aws:acm:x",
			"the rule DomainHasCertificate: DomainName needs CertificateArn"},
		"an API without an address": {
			map[string]string{
				"Purpose": "production", "DisableExecuteApiEndpoint": "true", "CertificateArn": "arn:aws:acm:x",
			},
			"DomainName=api.example.com", "the rule ApiHasAddress: DisableExecuteApiEndpoint needs DomainName"},
		"a webhook without a secret": {
			map[string]string{"Purpose": "production", "EventWebhookUrl": "https://www.example.com"},
			"EventWebhookSecret=secret", "the rule WebhookHasSecret: EventWebhookUrl needs EventWebhookSecret"},
		// Without the mail log SES tells nobody, and the webhook ends without a word.
		"a webhook without events": {
			map[string]string{
				"Purpose": "production", "EventWebhookUrl": "https://www.example.com", "EventWebhookSecret": "secret",
				"MailLogDays": "0",
			},
			"MailLogDays=1", "the rule WebhookHasEvents: EventWebhookUrl needs the events of the mail log"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := withParameters(t, c.given); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
			whole := maps.Clone(c.given)
			parameter, value, _ := strings.Cut(c.lacking, "=")
			whole[parameter] = value
			if _, err := withParameters(t, whole); err != nil {
				t.Errorf("with %s: %v", c.lacking, err)
			}
		})
	}
}
