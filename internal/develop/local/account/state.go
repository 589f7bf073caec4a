package account

import (
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	cloudformation "github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// State is what the services say about themselves, in the types of their SDKs. Initially nothing is wrong in it.
type State struct {
	Denied   map[string]bool       // refused calls, for instance "ses:GetAccount"
	Clock    time.Duration         // how far AWS's clock is ahead of this machine's
	Stack    *cloudformation.Stack // nil if there is none
	Alarms   map[string]string     // names of the stack's alarms, by logical id
	Recovery bool                  // whether the table has point-in-time recovery
	SES      sesv2.GetAccountOutput
	// Identity describes an address or a domain. It returns nil for an unknown one.
	Identity         func(name string) *sesv2.GetEmailIdentityOutput
	ConfigurationSet *sesv2.GetConfigurationSetOutput // for any name; nil if there is none
	Events           []types.EventDestination         // of the configuration set

	// Others answers calls of services that a laptop has not, for tests of the tool; nil for none.
	Others http.Handler
}

// healthy returns the state of an account in good order: it is out of SES's sandbox, every identity is verified and
// signs, and the stack is as its template says.
func healthy(c Config) State {
	stack := cloudformation.Stack{
		StackId:     aws.String(c.Values.ARN("cloudformation", "stack/"+c.Values.StackName+"/00000000")),
		StackName:   &c.Values.StackName,
		StackStatus: cloudformation.StackStatusCreateComplete,
	}
	for name, value := range c.Template.Parameters {
		stack.Parameters = append(stack.Parameters,
			cloudformation.Parameter{ParameterKey: aws.String(name), ParameterValue: aws.String(value)})
	}
	output := func(key, value string) {
		stack.Outputs = append(stack.Outputs, cloudformation.Output{OutputKey: &key, OutputValue: &value})
	}
	// The outputs of the template that operators' tools read.
	output("ApiUrl", c.API)
	s := State{Stack: &stack, Alarms: map[string]string{"ErrorsAlarm": c.Values.StackName + "-ErrorsAlarm-A1B2C3"}}
	if len(c.Template.Tables) == 1 {
		output("TableName", c.Template.Tables[0].Name)
		s.Recovery = c.Template.Tables[0].Recovery
	}
	s.SES = sesv2.GetAccountOutput{
		EnforcementStatus:       aws.String("HEALTHY"),
		PricingAttributes:       &types.PricingAttributes{CurrentPlan: types.PricingPlanNone},
		ProductionAccessEnabled: true,
		SendingEnabled:          true,
		SendQuota:               &types.SendQuota{Max24HourSend: 50_000, MaxSendRate: 14},
		SuppressionAttributes: &types.SuppressionAttributes{
			SuppressedReasons: types.SuppressionListReason("").Values(),
		},
	}
	s.Identity = func(name string) *sesv2.GetEmailIdentityOutput {
		return &sesv2.GetEmailIdentityOutput{
			VerificationStatus:       types.VerificationStatusSuccess,
			VerifiedForSendingStatus: true,
			DkimAttributes: &types.DkimAttributes{
				CurrentSigningKeyLength: types.DkimSigningKeyLengthRsa2048Bit,
				SigningEnabled:          true,
				Status:                  types.DkimStatusSuccess,
			},
			MailFromAttributes: &types.MailFromAttributes{
				BehaviorOnMxFailure:  types.BehaviorOnMxFailureUseDefaultValue,
				MailFromDomain:       aws.String("bounce." + name[strings.LastIndexByte(name, '@')+1:]),
				MailFromDomainStatus: types.MailFromDomainStatusSuccess,
			},
		}
	}
	s.ConfigurationSet = &sesv2.GetConfigurationSetOutput{SendingOptions: &types.SendingOptions{SendingEnabled: true}}
	s.Events = []types.EventDestination{{
		Name: aws.String("all"), Enabled: true, MatchingEventTypes: types.EventType("").Values(),
	}}
	return s
}
