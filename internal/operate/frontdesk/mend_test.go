package main

import (
	"strings"
	"testing"

	"frontdesk/internal/develop/local/account"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"

	"github.com/aws/aws-sdk-go-v2/aws"
	cloudformation "github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// deployAgain is the command for faults that a new deployment mends.
const deployAgain = "sam build && sam deploy --region us-east-1 --config-env '<its environment>'"

// TestMendsOfParameters: each names the parameter to deploy with. Set by another way, the next deployment would undo
// it.
func TestMendsOfParameters(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		well := newDeployment(t)
		with := func(parameter, value string) func(*deployment) {
			return func(d *deployment) { d.change(func(s *account.State) { has(s, parameter, value) }) }
		}
		for name, c := range map[string]struct {
			do        func(*deployment)
			parameter string
		}{
			"no alarm topic": {with("AlarmTopicArn", ""),
				"'AlarmTopicArn=<the ARN of an SNS topic in us-east-1>'"},
			"a default sender that is none": {with("DefaultSender", "Help"), "'DefaultSender=Name <address>'"},
			"no configuration set":          {with("SesConfigurationSet", ""), "MailLogDays=30"},
			"no deletion protection": {func(d *deployment) {
				d.protect(false)
				d.Cleanup(func() { d.protect(true) })
			}, "DeletionProtection=true"},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				d := &deployment{well.of(t), well.records}
				c.do(d)
				amiss, _ := examine(d)
				if len(amiss) != 1 {
					t.Fatalf("found %+v, want one finding", amiss)
				}
				expect.Equal(t, amiss[0].Mend, "set "+c.parameter+" in its parameter_overrides, and deploy it")
				expect.Equal(t, amiss[0].Command, deployAgain)
			})
		}
	})
}

// TestMendsThatDeploy let the operator choose the environment of samconfig.toml: with only a stack's name, sam deploy
// would take the parameters of the default environment.
func TestMendsThatDeploy(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		well := newDeployment(t)
		status := func(status cloudformation.StackStatus) func(*account.State) {
			return func(s *account.State) { s.Stack.StackStatus, s.Stack.Outputs = status, nil }
		}
		of := " --stack-name " + well.Environ()["STACK_NAME"]
		for name, c := range map[string]struct {
			change func(*account.State)
			want   string
		}{
			"no stack":                {func(s *account.State) { s.Stack = nil }, deployAgain},
			"no outputs":              {func(s *account.State) { s.Stack.Outputs = nil }, deployAgain},
			"no alarms":               {func(s *account.State) { s.Alarms = nil }, deployAgain},
			"a change set that waits": {status(cloudformation.StackStatusReviewInProgress), deployAgain},
			// ROLLBACK_COMPLETE after a first deployment: CloudFormation can only delete such a stack.
			"a deployment that failed": {status(cloudformation.StackStatusRollbackComplete),
				"aws --region us-east-1 cloudformation delete-stack" + of +
					" && aws --region us-east-1 cloudformation wait stack-delete-complete" + of + " && " + deployAgain},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				d := &deployment{well.of(t), well.records}
				d.change(c.change)
				amiss, _ := examine(d)
				if len(amiss) == 0 {
					t.Fatal("found nothing")
				}
				expect.Equal(t, amiss[0].Command, c.want)
			})
		}
	})
}

// TestRecordsToPublish: for an identity that is not verified, or does not sign, the doctor lists the DNS records. SES
// tells the zone of the region in SigningHostedZone. The three CNAME records are those of Easy DKIM; a domain with
// its own key has one TXT record.
func TestRecordsToPublish(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		well := newDeployment(t)
		pending := func(tokens ...string) sesv2.GetEmailIdentityOutput {
			return sesv2.GetEmailIdentityOutput{
				VerificationStatus: types.VerificationStatusPending,
				DkimAttributes:     &types.DkimAttributes{Status: types.DkimStatusPending, Tokens: tokens},
			}
		}
		frankfurt := pending("one", "two", "three")
		frankfurt.DkimAttributes.SigningHostedZone = aws.String("dkim.eu-central-1.amazonses.com")
		unsigned := frankfurt
		unsigned.VerifiedForSendingStatus = true
		own := pending("selector")
		own.DkimAttributes.SigningAttributesOrigin = types.DkimSigningAttributesOriginExternal
		verified := sesv2.GetEmailIdentityOutput{VerifiedForSendingStatus: true}
		for name, c := range map[string]struct {
			identity string
			told     sesv2.GetEmailIdentityOutput
			want     string // what is printed below the finding
		}{
			"a domain": {"example.com", pending("one", "two"), `
         publish these records
         one._domainkey.example.com. CNAME one.dkim.amazonses.com.
         two._domainkey.example.com. CNAME two.dkim.amazonses.com.
`},
			"a domain of a region with a zone of its own": {"example.com", frankfurt, `
         publish these records
         one._domainkey.example.com. CNAME one.dkim.eu-central-1.amazonses.com.
         two._domainkey.example.com. CNAME two.dkim.eu-central-1.amazonses.com.
         three._domainkey.example.com. CNAME three.dkim.eu-central-1.amazonses.com.
`},
			"a domain whose records went": {"example.com", unsigned, `
         publish these records
         one._domainkey.example.com. CNAME one.dkim.eu-central-1.amazonses.com.
`},
			"a domain with a key of its own": {"example.com", own, `
         publish your own public key as the TXT record selector._domainkey.example.com.
`},
			"a domain without a key": {"example.com", pending(), `
         aws --region us-east-1 sesv2 put-email-identity-dkim-signing-attributes --signing-attributes-origin AWS_SES \
           --email-identity example.com
`},
			"an address": {"help@example.com", sesv2.GetEmailIdentityOutput{}, `
         follow the link in the mail that SES sent to it
`},
			"an address without a domain": {"help@example.com", verified, `
         aws --region us-east-1 sesv2 create-email-identity --email-identity example.com
`},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				d := &deployment{well.of(t), well.records}
				d.change(func(s *account.State) {
					identities(s, map[string]sesv2.GetEmailIdentityOutput{c.identity: c.told})
				})
				out, err := d.frontdesk("doctor")
				if err == nil {
					t.Error("it ended well, want an error")
				}
				expect.Contains(t, out, c.want)
				fits(t, out)
			})
		}
		delete(well.records, "_dmarc.example.com")
		out, _ := well.frontdesk("doctor")
		want := "\n         _dmarc.example.com. TXT \"v=DMARC1; p=none; rua=mailto:postmaster@example.com\"\n"
		if !strings.Contains(out, want) {
			t.Errorf("printed %s\nwant %s", out, want)
		}
	})
}
