package awsproxy_test

import (
	"context"
	"strings"
	"testing"

	"frontdesk/internal/prove/samtemplatetest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	sestypes "github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// TestSendEmailNeedsIdentityAndConfigurationSet shows which actions and resources SES requires for a mail.
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsimpleemailservicev2.html
func TestSendEmailNeedsIdentityAndConfigurationSet(t *testing.T) {
	// The address in capitals shows that the address keeps its case in an ARN, and that the domain loses it.
	raw := rawMail("Desk <desk@Example.com>")
	withSet := rawMail("desk@example.com")
	withSet.ConfigurationSetName = aws.String("news")
	// Without FromEmailAddress, SES reads the sender from the message.
	fromHeader := rawMail("")
	fromHeader.FromEmailAddress = nil
	simple := rawMail("desk@example.com")
	simple.Content = &sestypes.EmailContent{Simple: &sestypes.Message{
		Subject: &sestypes.Content{Data: aws.String("s")},
		Body:    &sestypes.Body{Text: &sestypes.Content{Data: aws.String("t")}}}}
	// Sending authorization: the identity belongs to another account, which the ARN names.
	byARN := rawMail("desk@example.com")
	byARN.FromEmailAddressIdentityArn = aws.String("arn:aws:ses:eu-west-1:999999999999:identity/example.com")

	const both = "Action: ['ses:SendEmail', 'ses:SendRawEmail'], "
	for _, c := range []struct {
		name, statement string
		mail            *sesv2.SendEmailInput
		refused         string // action and resource that the error names; empty if the mail is sent
	}{
		{"both actions on the domain", both + "Resource: '" + sesARN + "identity/example.com'", raw, ""},
		{"both actions on the address", both + "Resource: '" + sesARN + "identity/desk@Example.com'", raw, ""},
		{"both actions on another domain", both + "Resource: '" + sesARN + "identity/example.org'", raw,
			"ses:SendEmail on resource: " + sesARN + "identity/desk@Example.com"},
		{"SendEmail alone is not enough for raw content", "Action: 'ses:SendEmail', Resource: '" + sesARN + "*'", raw,
			"ses:SendRawEmail on resource: " + sesARN + "identity/desk@Example.com"},
		{"SendRawEmail alone is not enough", "Action: 'ses:SendRawEmail', Resource: '" + sesARN + "*'", raw,
			"ses:SendEmail on resource: " + sesARN + "identity/desk@Example.com"},
		{"SendEmail alone is enough for simple content",
			"Action: 'ses:SendEmail', Resource: '" + sesARN + "*'", simple, ""},
		{"a configuration set needs both actions too", both + "Resource: '" + sesARN + "identity/*'", withSet,
			"ses:SendEmail on resource: " + sesARN + "configuration-set/news"},
		{"identity and configuration set",
			both + "Resource: ['" + sesARN + "identity/*', '" + sesARN + "configuration-set/news']", withSet, ""},
		{"the sender of the message's own header",
			both + "Resource: '" + sesARN + "identity/desk@example.com'", fromHeader, ""},
		{"another account's identity", both + "Resource: '" + sesARN + "identity/*'", byARN,
			"ses:SendEmail on resource: arn:aws:ses:eu-west-1:999999999999:identity/example.com"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newProxiedServices(t, samtemplatetest.WithPolicies("- Statement: [{Effect: Allow, "+c.statement+"}]"))
			_, err := s.sesv2("F", "request").SendEmail(context.Background(), c.mail)
			switch {
			case c.refused == "" && err != nil:
				t.Errorf("error %v, want the mail sent", err)
			case c.refused != "" && (err == nil || !strings.Contains(err.Error(), "StatusCode: 403") ||
				!strings.Contains(err.Error(), "AccessDeniedException: ") ||
				!strings.Contains(err.Error(), c.refused+" because")):
				t.Errorf("error %v, want %s refused", err, c.refused)
			}
			if sent := len(s.ses.got()) == 1; sent != (c.refused == "") {
				t.Errorf("sent: %v", sent)
			}
		})
	}
}

// TestMailWithoutSenderIsABadRequest shows that SES needs a sender to know which identity to check.
func TestMailWithoutSenderIsABadRequest(t *testing.T) {
	s := newProxiedServices(t, samtemplatetest.WithPolicies(allowAll))
	_, err := s.sesv2("F", "request").SendEmail(context.Background(), rawMail("nobody"))
	wantAPIError(t, err, "BadRequestException", `sender "nobody": mail: missing '@' or angle-addr`)
}
