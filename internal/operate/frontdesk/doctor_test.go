package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/account"
	"frontdesk/internal/operate/doctor"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"

	"github.com/aws/aws-sdk-go-v2/aws"
	cloudformation "github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamodbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	kms "github.com/aws/aws-sdk-go-v2/service/kms/types"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/smithy-go/encoding/cbor"
)

// records are the TXT records that the doctor finds in the DNS.
type records map[string][]string

// lookup answers as a resolver does, and is strict with its caller: a lookup needs a limit of time, and a name with a
// dot at its end, since a resolver adds its search domains to other names. Names below broken.example get no answer.
func (r records) lookup(ctx context.Context, name string) ([]string, error) {
	if _, limited := ctx.Deadline(); !limited {
		return nil, errors.New("the lookup has no limit of time")
	}
	name, whole := strings.CutSuffix(name, ".")
	if !whole {
		return nil, fmt.Errorf("search domains would be added to %s", name)
	}
	if strings.HasSuffix(name, ".broken.example") {
		return nil, errors.New("no DNS server answers")
	}
	if texts := r[name]; texts != nil {
		return texts, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

// deployment is a faultless stack, in the operator's environment.
type deployment struct {
	*shell
	records records
}

// newDeployment starts a stack without functions, which the doctor does not call. It has a key that may send as a
// domain, as an address in it and as anybody, and a revoked key, whose domain nobody should look at.
func newDeployment(t testing.TB, change ...func(*local.Options)) *deployment {
	t.Helper()
	parameters := func(o *local.Options) {
		o.Parameters = map[string]string{
			"AlarmTopicArn":       "arn:aws:sns:us-east-1:123456789012:alarms",
			"DefaultSender":       "Help <help@example.com>",
			"SesConfigurationSet": "main",
		}
	}
	change = append([]func(*local.Options){fixture.WithoutFunctions(t), parameters}, change...)
	published := records{
		"_dmarc.example.com": {"some other text", "v=DMARC1; p=none"},
		"bounce.example.com": {"some other text", "v=spf1 include:amazonses.com ~all"},
	}
	d := &deployment{onStack(t, change...).deployed(), published}
	d.lookupTXT = d.records.lookup
	d.withTopic()
	d.protect(true)
	t.Cleanup(func() { d.protect(false) }) // otherwise a database that is not the stack's own would keep the table
	printed[createdKey](d.shell, "mail-key", "create", "--name", "a", "--sender", "ada@example.com", "--from", "*",
		"--from", "Example.com")
	revoked := printed[createdKey](d.shell, "mail-key", "create", "--name", "b", "--from", "revoked.example")
	printed[mailKeyView](d.shell, "mail-key", "revoke", "--yes", revoked.ID.String())
	return d
}

// The table's name and a client of the database, as the SDK's calls want them.
func (d *deployment) table() *string             { return aws.String(d.Environ()["TABLE_NAME"]) }
func (d *deployment) database() *dynamodb.Client { return dynamodb.NewFromConfig(d.Operator()) }

// protect sets the deletion protection of the table. A table that is gone needs none.
func (d *deployment) protect(on bool) {
	d.Helper()
	_, err := d.database().UpdateTable(context.Background(), &dynamodb.UpdateTableInput{
		TableName: d.table(), DeletionProtectionEnabled: &on,
	})
	if absent := (*dynamodbtypes.ResourceNotFoundException)(nil); err != nil && !errors.As(err, &absent) {
		d.Fatal(err)
	}
}

// change changes what AWS answers, until the test ends. It copies what the change may write to, because the cases
// share one stack.
func (d *deployment) change(change func(*account.State)) {
	var before account.State
	d.Account().Change(func(s *account.State) {
		before = *s
		stack, set := *s.Stack, *s.ConfigurationSet
		options := *set.SendingOptions
		stack.Parameters, stack.Outputs = slices.Clone(stack.Parameters), slices.Clone(stack.Outputs)
		s.Stack, s.ConfigurationSet, s.Events = &stack, &set, slices.Clone(s.Events)
		s.Others = topicOf(s).copied()
		set.SendingOptions = &options
		change(s)
	})
	d.Cleanup(func() { d.Account().Change(func(s *account.State) { *s = before }) })
}

// expire turns the table's time to live on or off, for an attribute.
func (d *deployment) expire(attribute string, on bool) {
	d.Helper()
	_, err := d.database().UpdateTimeToLive(d.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName: d.table(), TimeToLiveSpecification: &dynamodbtypes.TimeToLiveSpecification{
			AttributeName: &attribute, Enabled: &on,
		},
	})
	if err != nil {
		d.Fatal(err)
	}
}

// has sets a parameter of the stack, which must exist.
func has(s *account.State, parameter, value string) {
	i := slices.IndexFunc(s.Stack.Parameters, func(p cloudformation.Parameter) bool {
		return *p.ParameterKey == parameter
	})
	s.Stack.Parameters[i].ParameterValue = &value
}

// identities makes SES know these identities, and no others.
func identities(s *account.State, known map[string]sesv2.GetEmailIdentityOutput) {
	s.Identity = func(name string) *sesv2.GetEmailIdentityOutput {
		if identity, ok := known[name]; ok {
			return &identity
		}
		return nil
	}
}

// identity changes every identity.
func identity(change func(*sesv2.GetEmailIdentityOutput)) func(*account.State) {
	return func(s *account.State) {
		before := s.Identity
		s.Identity = func(name string) *sesv2.GetEmailIdentityOutput {
			out := before(name)
			change(out)
			return out
		}
	}
}

// review puts the account back into SES's sandbox, with a request for production access.
func review(status types.ReviewStatus) func(*account.State) {
	return func(s *account.State) {
		s.SES.ProductionAccessEnabled = false
		s.SES.Details = &types.AccountDetails{
			ReviewDetails: &types.ReviewDetails{CaseId: aws.String("17"), Status: status},
		}
	}
}

// plan sets SES's price plans of this month and of the next.
func plan(current, next types.PricingPlan) func(*account.State) {
	return func(s *account.State) {
		s.SES.PricingAttributes = &types.PricingAttributes{CurrentPlan: current, NextPlan: next}
	}
}

// deny makes AWS refuse an action, as for an operator without the permission.
func deny(action string) func(*account.State) {
	return func(s *account.State) {
		s.Denied = map[string]bool{action: true}
		if s.Others != nil {
			topicOf(s).denied = action
		}
	}
}

// both applies two changes.
func both(first, second func(*account.State)) func(*account.State) {
	return func(s *account.State) { first(s); second(s) }
}

// topicKey encrypts the alarms' topic with a key that the account may use, and changes the key.
func topicKey(change func(*kms.KeyMetadata)) func(*account.State) {
	return func(s *account.State) {
		t := topicOf(s)
		t.attributes["KmsMasterKeyId"] = "alias/alarms"
		t.key = &kms.KeyMetadata{
			Arn:        aws.String("arn:aws:kms:us-east-1:123456789012:key/1"),
			KeyManager: kms.KeyManagerTypeCustomer,
			KeyState:   kms.KeyStateEnabled,
		}
		if change != nil {
			change(t.key)
		}
	}
}

// quoted matches text that a shell takes literally.
var quoted = regexp.MustCompile(`'[^']*'`)

// elsewhere are the subjects that the doctor cannot see; the ring is one of them until it is asked for.
var elsewhere = []string{"spam rate", "PTR and TLS", "ring"}

// examine runs the command, and returns the findings that are not right, without those of elsewhere. It also checks
// rules that hold for every finding: whatever is amiss has a mend, each mend can be pasted into a shell, and each
// command names the region.
func examine(d *deployment) (amiss []doctor.Finding, err error) {
	d.Helper()
	out, err := d.frontdesk("doctor", "--json")
	var all []doctor.Finding
	if e := json.Unmarshal([]byte(out), &all); e != nil {
		d.Fatalf("printed %q (%v): %v", out, err, e)
	}
	for _, f := range all {
		if never := slices.Contains(elsewhere, f.Subject); never && f.State != doctor.Unknown {
			d.Errorf("%+v: it cannot be seen", f)
		} else if f.State != doctor.Right && !never {
			amiss = append(amiss, f)
		}
		if (f.State == doctor.Right) != (f.Mend+f.Command == "") {
			d.Errorf("%+v: what is amiss, and nothing else, has a command", f)
		}
		words := quoted.ReplaceAllString(f.Command, "")
		if strings.ContainsAny(words, "<>") {
			d.Errorf("%s\nhas a placeholder that a shell takes for a redirection", f.Command)
		}
		if strings.Contains(f.Mend, "aws ") {
			d.Errorf("%s\nhas a command among its words", f.Mend)
		}
		words = " " + strings.ReplaceAll(words, "\n", " ")
		commands, here := strings.Count(words, " aws "), strings.Count(words, " aws --region us-east-1 ")
		if commands != here {
			d.Errorf("%s\nhas %d commands of AWS, and %d of the stack's region", f.Command, commands, here)
		}
	}
	return amiss, err
}

// TestDoctorOfADeploymentThatIsWell: every check of a faultless stack is right, and the command succeeds. Each line
// stands in the output once: a check that is left out would not be missed otherwise.
func TestDoctorOfADeploymentThatIsWell(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		d := newDeployment(t)
		amiss, err := examine(d)
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, amiss, nil)
		out, err := d.frontdesk("doctor")
		if err != nil {
			t.Error(err)
		}
		for _, want := range []string{
			"right    clock: it agrees with AWS's\n",
			"right    stack: " + d.Environ()["STACK_NAME"] + " is CREATE_COMPLETE\n",
			"right    alarms: they go to arn:aws:sns:us-east-1:123456789012:alarms\n",
			"right    subscriptions to the alarms' topic: 1 confirmed\n",
			"right    alarms that ring: none\n",
			"unknown  ring: only an alarm shows whether CloudWatch may tell the topic, and somebody hears\n",
			"right    table: " + *d.table() + " is active\n",
			"right    table's deletion protection: it is on\n",
			"right    table's time to live: it is on\n",
			"right    table's recovery: point-in-time recovery is on\n",
			"right    SES's sandbox: the account is out of it\n",
			"right    SES's sending: it is on\n",
			"right    SES's quota: 50000 of 50000 recipients are left of 24 hours, 14 a second\n",
			"right    SES's suppression list: it has who bounced and who complained\n",
			"right    SES's price plan: none: in us-east-1 1,000 mails cost $0.10\n",
			"right    identity ada@example.com: it is verified\n",
			"right    identity example.com: it is verified\n",
			"right    identity help@example.com: it is verified\n",
			"right    DKIM of example.com: mail is signed with a key of 2048 bits\n",
			"right    SPF of example.com: bounce.example.com says v=spf1 include:amazonses.com ~all\n",
			"right    DMARC of example.com: _dmarc.example.com says v=DMARC1; p=none\n",
			"right    alignment of example.com: example.com is in DKIM's signature, " +
				"and SPF passes for bounce.example.com\n",
			"unknown  spam rate: mailboxes want less than 0.3 %, and Gmail sends SES no complaints\n",
			"unknown  PTR and TLS: they are those of SES's servers, which have to have both\n",
			"right    configuration set: main is there\n",
			"right    events of the configuration set: bounces and complaints are told\n",
			"right    lost events: none waits in the queue LostEvents\n",
		} {
			if strings.Count(out, want) != 1 {
				t.Errorf("printed %s\nwant once %s", out, want)
			}
		}
		fits(t, out)
		if strings.Contains(out, "revoked.example") {
			t.Errorf("printed %s\nwhich looks at what a revoked key could send as", out)
		}
	})
}

// fits checks that no line is wider than 120 columns.
func fits(t testing.TB, printed string) {
	t.Helper()
	for line := range strings.Lines(printed) {
		expect.AtMost(t, len(line), 121, line)
	}
}

// TestDoctorNamesWhatIsAmiss: each case changes something at AWS or in the deployment. The doctor reports the wanted
// faults and no others. One cause must not be reported as several faults, because an operator would mend the wrong one.
func TestDoctorNamesWhatIsAmiss(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		well := newDeployment(t)
		verified := sesv2.GetEmailIdentityOutput{
			VerifiedForSendingStatus: true,
			DkimAttributes: &types.DkimAttributes{
				CurrentSigningKeyLength: types.DkimSigningKeyLengthRsa2048Bit,
				SigningEnabled:          true,
				Status:                  types.DkimStatusSuccess,
			},
			MailFromAttributes: &types.MailFromAttributes{
				MailFromDomain:       aws.String("bounce.example.com"),
				MailFromDomainStatus: types.MailFromDomainStatusSuccess,
			},
		}
		status := func(status cloudformation.StackStatus) func(*account.State) {
			return func(s *account.State) { s.Stack.StackStatus = status }
		}
		sent := func(sent, most float64) func(*account.State) {
			return func(s *account.State) {
				s.SES.SendQuota = &types.SendQuota{Max24HourSend: most, SentLast24Hours: sent}
			}
		}
		for name, c := range map[string]struct {
			change func(*account.State)
			do     func(*deployment)
			want   []string // "<state> <subject>: <words of it>", all that is not right
			mend   string   // words of the first one's; "": any
		}{
			"no stack": {change: func(s *account.State) { s.Stack = nil },
				want: []string{"missing stack: there is no stack "}},
			// CloudFormation cannot update such a stack, only delete it.
			"a first deployment that failed": {
				change: func(s *account.State) {
					s.Stack.StackStatus, s.Stack.Outputs = cloudformation.StackStatusRollbackComplete, nil
				},
				want: []string{"missing stack: is ROLLBACK_COMPLETE: its first deployment failed"}},
			"a stack that failed": {change: status(cloudformation.StackStatusUpdateRollbackFailed),
				want: []string{"missing stack: is UPDATE_ROLLBACK_FAILED"}},
			// The stack works, with the template of before.
			"a deployment that was undone": {change: status(cloudformation.StackStatusUpdateRollbackComplete),
				want: []string{"advice stack: the last deployment was undone"}},
			"a deployment that goes on": {change: status(cloudformation.StackStatusUpdateInProgress),
				want: []string{"missing stack: is being changed: UPDATE_IN_PROGRESS"}},
			"a change set that waits": {
				change: func(s *account.State) {
					s.Stack.StackStatus, s.Stack.Outputs = cloudformation.StackStatusReviewInProgress, nil
				},
				want: []string{"missing stack: its change set was never executed"}},
			"a stack without outputs": {change: func(s *account.State) { s.Stack.Outputs = nil },
				want: []string{"missing table: the stack tells of none"}},
			"no alarm topic": {change: func(s *account.State) { has(s, "AlarmTopicArn", "") },
				want: []string{"missing alarms: they have no topic"}},
			// CloudWatch tells only topics of its own region.
			"a topic of another region": {
				change: func(s *account.State) {
					topicOf(s).denied = "sns:GetTopicAttributes" // SNS refuses a malformed ARN
					has(s, "AlarmTopicArn", "arn:aws:sns:eu-west-1:123456789012:alarms")
				},
				want: []string{"missing alarms: arn:aws:sns:eu-west-1:123456789012:alarms is in another region"},
				mend: "set 'AlarmTopicArn=<the ARN of an SNS topic in us-east-1>' in its parameter_overrides"},
			"a topic that is a queue": {
				change: func(s *account.State) { has(s, "AlarmTopicArn", "arn:aws:sqs:us-east-1:123456789012:alarms") },
				want:   []string{"missing alarms: sqs:us-east-1:123456789012:alarms is not the ARN of an SNS topic"},
				mend:   "set 'AlarmTopicArn=<the ARN of an SNS topic in us-east-1>' in its parameter_overrides"},
			"a topic without an ARN": {change: func(s *account.State) { has(s, "AlarmTopicArn", "alarms") },
				want: []string{"missing alarms: alarms is not the ARN of an SNS topic"}},
			"no alarms": {change: func(s *account.State) { s.Alarms = nil },
				want: []string{"missing alarms: the stack has none"}},
			"an alarm that rings": {
				change: func(s *account.State) {
					topicOf(s).ringing = []cbor.Map{{
						"AlarmName":                  cbor.String(s.Alarms["ErrorsAlarm"]),
						"AlarmDescription":           cbor.String("A request was answered with 500."),
						"StateTransitionedTimestamp": &cbor.Tag{ID: 1, Value: cbor.Float64(1_800_000_000)},
					}}
				},
				want: []string{"wrong alarm ErrorsAlarm: it has rung since 2027-01-15T08:00:00Z"},
				mend: "A request was answered with 500.\n" +
					"aws --region us-east-1 cloudwatch describe-alarms --alarm-names "},
			"an event that was lost": {do: func(d *deployment) { d.Account().Queues.Send(d.lostEvents(), "{}", nil) },
				want: []string{"wrong lost events: 1 in the queue LostEvents"},
				mend: " events redrive"},
			"a topic that is gone": {change: func(s *account.State) { topicOf(s).attributes = nil },
				want: []string{"missing alarms: alarms does not exist: nobody hears of them"}},
			"a topic to which nobody has subscribed": {
				change: func(s *account.State) { topicOf(s).attributes["SubscriptionsConfirmed"] = "0" },
				want:   []string{"missing subscriptions to the alarms' topic: there is none"}},
			"a subscription that is not confirmed": {
				change: func(s *account.State) {
					t := topicOf(s).attributes
					t["SubscriptionsConfirmed"], t["SubscriptionsPending"] = "0", "1"
				},
				want: []string{"missing subscriptions to the alarms' topic: 1 to be confirmed"}},
			"a topic with a key of the account": {change: topicKey(nil)},
			// Nobody can change its policy, so CloudWatch cannot get at it.
			"a topic with AWS's own key": {
				change: topicKey(func(k *kms.KeyMetadata) { k.KeyManager = kms.KeyManagerTypeAws }),
				want:   []string{"missing key of the alarms' topic: alias/alarms is AWS's own"}},
			"a topic with a key that is off": {
				change: topicKey(func(k *kms.KeyMetadata) { k.KeyState = kms.KeyStateDisabled }),
				want:   []string{"missing key of the alarms' topic: alias/alarms is Disabled"}},
			"a topic with a key that is to be deleted": {
				change: topicKey(func(k *kms.KeyMetadata) { k.KeyState = kms.KeyStatePendingDeletion }),
				want:   []string{"missing key of the alarms' topic: alias/alarms will be deleted"}},
			"a topic with a key that is gone": {
				change: func(s *account.State) { topicOf(s).attributes["KmsMasterKeyId"] = "alias/alarms" },
				want:   []string{"missing key of the alarms' topic: alias/alarms does not exist"}},
			// AWS refuses a signature that is more than five minutes off, so a clock that runs away is told before
			// that.
			"a clock that is slow": {change: func(s *account.State) { s.Clock = 150 * time.Second },
				want: []string{"missing clock: it is -2m"}},
			"a clock that is fast, and a call that is refused": {
				change: func(s *account.State) {
					s.Clock, s.Denied = -10*time.Minute, map[string]bool{"cloudformation:DescribeStacks": true}
				},
				want: []string{"missing clock: it is 10m", "missing stack: it could not be read: AccessDenied"}},
			"a clock that is a little off": {change: func(s *account.State) { s.Clock = 30 * time.Second }},
			"no table": {
				change: func(s *account.State) {
					for i, o := range s.Stack.Outputs {
						if *o.OutputKey == "TableName" {
							s.Stack.Outputs[i].OutputValue = aws.String("gone")
						}
					}
				},
				want: []string{"missing table: gone does not exist"}},
			"no time to live": {do: func(d *deployment) { d.expire("expires_at", false) },
				want: []string{"missing table's time to live: it is off"},
				mend: " --time-to-live-specification Enabled=true,AttributeName=expires_at"},
			// AWS refuses ours until the other one is off: TimeToLive is active on a different AttributeName.
			"a time to live of another attribute": {
				do: func(d *deployment) {
					d.expire("expires_at", false)
					d.expire("ttl", true)
				},
				want: []string{"missing table's time to live: it is on for ttl, and not for expires_at"},
				mend: " --time-to-live-specification Enabled=false,AttributeName=ttl"},
			"no recovery": {change: func(s *account.State) { s.Recovery = false },
				want: []string{"missing table's recovery: point-in-time recovery is off"}},
			"no deletion protection": {do: func(d *deployment) { d.protect(false) },
				want: []string{"advice table's deletion protection: it is off"}},
			"the sandbox": {change: func(s *account.State) { s.SES.ProductionAccessEnabled = false },
				want: []string{"missing SES's sandbox: the account is in it"},
				mend: "aws --region us-east-1 sesv2 put-account-details --production-access-enabled"},
			"a request for production access that is pending": {change: review(types.ReviewStatusPending),
				want: []string{"missing SES's sandbox: A request for production access is pending"},
				mend: "wait for AWS's answer in case 17 of the support center"},
			"a request for production access that was denied": {change: review(types.ReviewStatusDenied),
				want: []string{"missing SES's sandbox: AWS has denied production access"},
				mend: "answer AWS in case 17 of the support center"},
			"a request for production access that AWS did not get": {change: review(types.ReviewStatusFailed),
				want: []string{"missing SES's sandbox: the account is in it"},
				mend: "aws --region us-east-1 sesv2 put-account-details --production-access-enabled"},
			"the plan of new accounts": {change: plan(types.PricingPlanEssentials, ""),
				want: []string{"advice SES's price plan: 1,000 mails cost $0.16, without a plan $0.10"},
				mend: "aws --region us-east-1 sesv2 put-account-pricing-attributes --plan NONE"},
			"a plan with a fee": {change: plan(types.PricingPlanPro, ""),
				want: []string{"advice SES's price plan: PRO, which costs more"}},
			// SES changes a plan at the end of a month, so this account has done what is advised already.
			"a plan that ends with the month": {change: plan(types.PricingPlanEssentials, types.PricingPlanNone)},
			"a plan that is not told":         {change: func(s *account.State) { s.SES.PricingAttributes = nil }},
			"sending paused": {change: func(s *account.State) { s.SES.SendingEnabled = false },
				want: []string{"missing SES's sending: it is paused for the account"}},
			// Unlike a pause by the owner, only AWS ends this.
			"sending shut down": {
				change: func(s *account.State) {
					s.SES.SendingEnabled, s.SES.EnforcementStatus = false, aws.String("SHUTDOWN")
				},
				want: []string{"missing SES's sending: SES has paused it"}},
			"under review": {change: func(s *account.State) { s.SES.EnforcementStatus = aws.String("PROBATION") },
				want: []string{"advice SES's sending: it is under review"}},
			"a quota that is used up": {change: sent(200, 200),
				want: []string{"missing SES's quota: 0 of 200 recipients are left"}},
			"a quota that is nearly used up": {change: sent(161, 200),
				want: []string{"advice SES's quota: 39 of 200 recipients are left"}},
			"a quota of which a fifth is left": {change: sent(160, 200)},
			"no quota":                         {change: sent(0, -1)},
			"a quota that is not told": {change: func(s *account.State) { s.SES.SendQuota = nil },
				want: []string{"advice SES's quota: SES does not tell it"}},
			"no suppression": {change: func(s *account.State) { s.SES.SuppressionAttributes = nil },
				want: []string{"missing SES's suppression list: it leaves out BOUNCE"}},
			"suppression of bounces alone": {
				change: func(s *account.State) {
					s.SES.SuppressionAttributes = &types.SuppressionAttributes{
						SuppressedReasons: []types.SuppressionListReason{types.SuppressionListReasonBounce},
					}
				},
				want: []string{"missing SES's suppression list: it leaves out COMPLAINT"}},
			"identities that SES does not know": {change: func(s *account.State) { identities(s, nil) },
				want: []string{"missing identity ada@example.com: SES knows neither",
					"missing identity example.com: SES knows",
					"missing identity help@example.com: SES knows neither"}},
			// SES takes the identity of a domain for every address in it.
			"the domain's identity is enough": {change: func(s *account.State) {
				identities(s, map[string]sesv2.GetEmailIdentityOutput{"example.com": verified})
			}},
			// An address with an identity of its own does not fall back to that of its domain.
			"an identity that is not verified": {
				change: func(s *account.State) {
					pending := verified
					pending.VerifiedForSendingStatus = false
					pending.VerificationStatus = types.VerificationStatusPending
					identities(s, map[string]sesv2.GetEmailIdentityOutput{
						"example.com": verified, "ada@example.com": pending,
					})
				},
				want: []string{"missing identity ada@example.com: it is not verified (PENDING)"}},
			"no DKIM": {
				change: identity(func(i *sesv2.GetEmailIdentityOutput) { i.DkimAttributes = nil }),
				want: []string{"missing DKIM of ada@example.com: its records were not found",
					"missing DKIM of example.com: its records", "missing DKIM of help@example.com: its records"}},
			"DKIM's records gone": {
				change: func(s *account.State) {
					failed := verified
					failed.DkimAttributes = &types.DkimAttributes{SigningEnabled: true, Status: types.DkimStatusFailed}
					identities(s, map[string]sesv2.GetEmailIdentityOutput{"example.com": failed})
				},
				want: []string{"missing DKIM of example.com: its records were not found"}},
			"DKIM off": {
				change: func(s *account.State) {
					off := verified
					off.DkimAttributes = &types.DkimAttributes{Status: types.DkimStatusSuccess}
					identities(s, map[string]sesv2.GetEmailIdentityOutput{"example.com": off})
				},
				want: []string{"missing DKIM of example.com: mail is not signed"}},
			"no DMARC": {do: func(d *deployment) { delete(d.records, "_dmarc.example.com") },
				want: []string{"missing DMARC of example.com: there is no policy"}},
			// An identity covers subdomains, and DMARC's policy of the organization does, too.
			"a subdomain, whose domain has all": {
				change: func(s *account.State) {
					has(s, "DefaultSender", "a@Mail.Example.com")
					identities(s, map[string]sesv2.GetEmailIdentityOutput{"example.com": verified})
				}},
			"a DNS that does not answer": {change: func(s *account.State) {
				has(s, "DefaultSender", "a@broken.example")
			},
				want: []string{"unknown SPF of a@broken.example: the DNS could not be asked: no DNS server answers",
					"unknown DMARC of broken.example: the DNS could not be asked: no DNS server answers"}},
			"a default sender that is none": {change: func(s *account.State) { has(s, "DefaultSender", "Help") },
				want: []string{"missing DefaultSender: Help is not an address"}},
			// The keys may have senders of their own, so a stack needs none.
			"no default sender": {change: func(s *account.State) { has(s, "DefaultSender", "") }},
			"no mail key": {
				do: func(d *deployment) {
					for _, key := range printed[[]mailKeyView](d.shell, "mail-key", "list") {
						printed[mailKeyView](d.shell, "mail-key", "revoke", "--yes", key.ID.String())
					}
				},
				want: []string{"missing mail keys: there is none"}},
			"no configuration set": {change: func(s *account.State) { s.ConfigurationSet = nil },
				want: []string{"missing configuration set: main does not exist"}},
			"a stack without a configuration set": {change: func(s *account.State) {
				has(s, "SesConfigurationSet", "")
			},
				want: []string{"advice configuration set: the stack has none"}},
			"the stack's own configuration set": {
				change: func(s *account.State) {
					has(s, "SesConfigurationSet", "")
					s.Stack.Outputs = append(s.Stack.Outputs, cloudformation.Output{
						OutputKey: aws.String("ConfigurationSet"), OutputValue: aws.String("own"),
					})
					s.ConfigurationSet = nil
				},
				want: []string{"missing configuration set: own does not exist"}},
			"a configuration set that is paused": {
				change: func(s *account.State) { s.ConfigurationSet.SendingOptions.SendingEnabled = false },
				want:   []string{"missing configuration set: sending is paused for main"}},
			"a configuration set without events": {change: func(s *account.State) { s.Events = nil },
				want: []string{"missing events of the configuration set: nothing hears of a BOUNCE"}},
			"events that are off": {change: func(s *account.State) { s.Events[0].Enabled = false },
				want: []string{"missing events of the configuration set: nothing hears of a BOUNCE"}},
			"events without complaints": {
				change: func(s *account.State) {
					s.Events[0].MatchingEventTypes = []types.EventType{types.EventTypeBounce}
				},
				want: []string{"missing events of the configuration set: nothing hears of a COMPLAINT"}},
			// From here on the operator lacks a permission. What cannot be looked at is not called right.
			"DescribeStacks is denied": {change: deny("cloudformation:DescribeStacks"),
				want: []string{"missing stack: it could not be read: AccessDenied: not authorized to perform"}},
			"ListStackResources is denied": {change: deny("cloudformation:ListStackResources"),
				want: []string{"missing alarms: it could not be read: AccessDenied",
					"missing lost events: it could not be read: AccessDenied"}},
			"DescribeAlarms is denied": {change: deny("cloudwatch:DescribeAlarms"),
				want: []string{"missing alarms that ring: it could not be read: AccessDenied"}},
			"GetTopicAttributes is denied": {change: deny("sns:GetTopicAttributes"),
				want: []string{"missing alarms: it could not be read: AuthorizationError"}},
			"DescribeKey is denied": {change: both(topicKey(nil), deny("kms:DescribeKey")),
				want: []string{"missing key of the alarms' topic: it could not be read: AccessDeniedException"}},
			"DescribeTable is denied": {change: deny("dynamodb:DescribeTable"),
				want: []string{"missing table: it could not be read: AccessDeniedException"}},
			"DescribeTimeToLive is denied": {change: deny("dynamodb:DescribeTimeToLive"),
				want: []string{"missing table's time to live: it could not be read: AccessDeniedException"}},
			"DescribeContinuousBackups is denied": {change: deny("dynamodb:DescribeContinuousBackups"),
				want: []string{"missing table's recovery: it could not be read: AccessDeniedException"}},
			"Query is denied": {change: deny("dynamodb:Query"),
				want: []string{"missing portals: it could not be read: AccessDeniedException",
					"missing mail keys: it could not be read: AccessDeniedException"}},
			"GetAccount is denied": {change: deny("ses:GetAccount"),
				want: []string{"missing SES: it could not be read: AccessDeniedException"}},
			"GetEmailIdentity is denied": {change: deny("ses:GetEmailIdentity"),
				want: []string{"missing identity ada@example.com: it could not be read",
					"missing identity example.com: it could",
					"missing identity help@example.com: it could not be read: AccessDeniedException"}},
			"GetConfigurationSet is denied": {change: deny("ses:GetConfigurationSet"),
				want: []string{"missing configuration set: it could not be read: AccessDeniedException"}},
			"GetConfigurationSetEventDestinations is denied": {change: deny("ses:GetConfigurationSetEventDestinations"),
				want: []string{"missing events of the configuration set: it could not be read: AccessDeniedException"}},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				d := &deployment{well.of(t), well.records}
				if c.do != nil { // the next case must not see it
					d = newDeployment(t)
					c.do(d)
				}
				if c.change != nil {
					d.change(c.change)
				}
				amiss := finds(t, d, c.want)
				if len(amiss) > 0 {
					expect.Contains(t, amiss[0].Mend+"\n"+amiss[0].Command, c.mend, "the mend")
				}
			})
		}
	})
}

// finds examines a deployment. The command must fail if something is missing. Faults are given as "<state> <subject>:
// <words of the finding>".
func finds(t testing.TB, d *deployment, want []string) []doctor.Finding {
	t.Helper()
	amiss, err := examine(d)
	if len(amiss) != len(want) {
		t.Fatalf("found %+v, want %q", amiss, want)
	}
	missing := false
	for i, f := range amiss {
		head, words, _ := strings.Cut(want[i], ": ")
		if string(f.State)+" "+f.Subject != head || !strings.Contains(f.Says, words) {
			t.Errorf("found %+v, want %s", f, want[i])
		}
		missing = missing || f.State == doctor.Missing || f.State == doctor.Wrong
	}
	if (err != nil) != missing {
		t.Errorf("ended with %v", err)
	}
	if missing {
		expect.Contains(t, err.Error(), " are missing or wrong", "the verdict")
	}
	return amiss
}

// TestWithoutRegionOrCredentials: instead of an error for each call there is one sentence. The SDK's own message has
// a line for each place where it looked for credentials.
func TestWithoutRegionOrCredentials(t *testing.T) {
	for _, variable := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE",
		"AWS_DEFAULT_REGION", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"} {
		t.Setenv(variable, "")
	}
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	for name, c := range map[string]struct{ region, want string }{
		"no region":      {"", "there is no region: set AWS_REGION, or give your AWS profile one"},
		"no credentials": {"us-east-1", "there are no AWS credentials: sign in with aws sso login or aws configure"},
	} {
		for _, args := range [][]string{
			{"doctor"}, {"--table-name", "t", "mail-key", "list"}, {"--stack", "s", "mail-key", "list"},
			{"--stack", "s", "open"}, {"status"}, {"--stack", "s", "status"},
		} {
			t.Run(name+" for "+strings.Join(args, " "), func(t *testing.T) {
				t.Setenv("AWS_REGION", c.region)
				out, err := frontdesk(t, args...)
				expect.Equal(t, out, "")
				expect.HasPrefix(t, fmt.Sprint(err), c.want)
				expect.Lacks(t, fmt.Sprint(err), "\n")
			})
		}
	}
}

// TestDoctorOfARestoredTable: what has ended since the backup works again in a restored table. The doctor says so
// until the table is reopened, after each restore.
func TestDoctorOfARestoredTable(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		d := newDeployment(t)
		restored := func(to time.Time) *deployment {
			return &deployment{d.restoredAs(*d.table(), "other", to), d.records}
		}
		missing := func(to time.Time) {
			t.Helper()
			amiss, err := examine(restored(to))
			if err == nil || len(amiss) != 1 {
				t.Fatalf("restored to %v: %v, %+v", to, err, amiss)
			}
			if f := amiss[0]; f.State != doctor.Missing || f.Subject != "table's reopening" {
				t.Errorf("restored to %v: found %+v", to, f)
			}
			want := "frontdesk --table-name " + *d.table() + " table reopen --from "
			if !strings.HasPrefix(amiss[0].Command, want) {
				t.Errorf("mended by %q, want %q", amiss[0].Command, want)
			}
		}
		hourAgo := time.Now().Add(-time.Hour)
		missing(hourAgo)
		printed[reopened](d.shell, "table", "reopen", "--yes", "--nothing-ended")
		if amiss, err := examine(restored(hourAgo)); err != nil || len(amiss) > 0 {
			t.Errorf("a table that was reopened: %v, %+v", err, amiss)
		}
		// A second restore after the reopening brings everything back once more.
		missing(later)
	})
}

// TestDoctorOfATableThatIsNotTheStacks: its mends change the table itself, because the stack's parameters do not
// affect it. Such a table is named by a parameter, or was restored under the name of the stack's own table.
func TestDoctorOfATableThatIsNotTheStacks(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		d := newDeployment(t)
		d.protect(false)
		printed[reopened](d.shell, "table", "reopen", "--yes", "--nothing-ended")
		restored := &deployment{d.restoredAs(*d.table(), "other", time.Now().Add(-time.Hour)), d.records}
		d.change(func(s *account.State) {
			s.Stack.Tags = []cloudformation.Tag{
				{Key: aws.String("team"), Value: aws.String("help desk")},
				{Key: aws.String("stage"), Value: aws.String("prod")},
			}
		})
		arn := d.describe(*d.table()).TableArn
		tag := func(key, value string) {
			t.Helper()
			_, err := d.database().TagResource(t.Context(), &dynamodb.TagResourceInput{
				ResourceArn: arn, Tags: []dynamodbtypes.Tag{{Key: &key, Value: &value}},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		tag("stage", "prod")
		tables := []struct {
			name      string
			parameter string
			*deployment
		}{{"named by a parameter", *d.table(), d}, {"restored under the same name", "", restored}}
		for _, of := range tables {
			d.change(func(s *account.State) { has(s, "ExistingTableName", of.parameter) })
			amiss, err := examine(of.deployment)
			if err != nil || len(amiss) != 2 {
				t.Fatalf("%s: %v, %+v", of.name, err, amiss)
			}
			for i, want := range []doctor.Finding{
				{Subject: "table's deletion protection", Command: "aws --region us-east-1 dynamodb update-table " +
					"--table-name " + *d.table() + " --deletion-protection-enabled"},
				{Subject: "table's tags", Command: "aws --region us-east-1 dynamodb tag-resource " +
					"--resource-arn " + *arn + " --tags 'Key=team,Value=help desk'"},
			} {
				if got := amiss[i]; got.State != doctor.Advice || got.Subject != want.Subject ||
					got.Command != want.Command {
					t.Errorf("%s: found %+v, want %+v", of.name, got, want)
				}
			}
		}
		tag("team", "help desk")
		d.protect(true)
		for _, of := range tables {
			d.change(func(s *account.State) { has(s, "ExistingTableName", of.parameter) })
			if amiss, err := examine(of.deployment); err != nil || len(amiss) > 0 {
				t.Errorf("%s: %v, %+v", of.name, err, amiss)
			}
		}
		d.change(func(s *account.State) {
			s.Stack.Tags = []cloudformation.Tag{{Key: aws.String("cost center"), Value: aws.String("7")}}
		})
		if amiss, err := examine(restored); err != nil || len(amiss) != 1 || amiss[0].Subject != "table's tags" {
			t.Errorf("a stack with one tag, which the table lacks: %v, %+v", err, amiss)
		}
	})
}

// TestDoctorTellsWhereMailsGo: mails of production should reach their recipients. The template refuses a stack for test
// without a redirect.
func TestDoctorTellsWhereMailsGo(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, c := range map[string]struct{ purpose, to, want string }{
			"a stack for test": {"test", "tester@example.net",
				"right redirect: every mail goes to tester@example.net, and none to its recipients"},
			"production with a redirect": {"production", "tester@example.net",
				"is for production, but every mail goes to tester@example.net, and none to its recipients"},
			"production without": {"production", "", ""},
			// A redirect that cannot be read stops all mails: to ignore it would send test mails to everybody.
			"one to what is no address": {"test", "grüße@example.net",
				"missing redirect: no mail is sent: RedirectMailTo "},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				d := newDeployment(t, func(o *local.Options) {
					o.Parameters["Purpose"], o.Parameters["RedirectMailTo"] = c.purpose, c.to
				})
				out, _ := d.frontdesk("doctor")
				expect.Contains(t, strings.Join(strings.Fields(out), " "), c.want, "doctor")
				expect.Equal(t, strings.Contains(out, " redirect: "), c.want != "", "it tells of a redirect")
			})
		}
	})
}

// TestDoctorAsksForThePurpose of a stack that an earlier template made.
func TestDoctorAsksForThePurpose(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		d := newDeployment(t)
		d.change(func(s *account.State) {
			s.Stack.Parameters = slices.DeleteFunc(s.Stack.Parameters, func(p cloudformation.Parameter) bool {
				return *p.ParameterKey == "Purpose"
			})
		})
		amiss, _ := examine(d)
		if len(amiss) != 1 {
			t.Fatalf("found %+v, want one finding", amiss)
		}
		expect.Equal(t, amiss[0].State, doctor.Advice)
		expect.Contains(t, amiss[0].Says, "does not say whether it is for production or for test", "finding")
		expect.Equal(t, amiss[0].Mend, "set 'Purpose=<production or test>' in its parameter_overrides, and deploy it")
		expect.Equal(t, amiss[0].Command, deployAgain)
	})
}
