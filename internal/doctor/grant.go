package doctor

import (
	"encoding/json"
	"strings"
)

// caller is an alarm, on behalf of which CloudWatch calls SNS and KMS.
type caller struct{ account, alarm string } // the alarm's ARN

// callers returns the alarms of the stack, with ARNs in the stack's partition, region and account.
func (s *stack) callers(alarms []string) (callers []caller) {
	for _, name := range alarms {
		alarm := s.id
		alarm.Service, alarm.Resource = "cloudwatch", "alarm:"+name
		callers = append(callers, caller{s.id.AccountID, alarm.String()})
	}
	return callers
}

// asks returns the call that CloudWatch makes for the alarm. AWS documents the keys SourceAccount and SourceArn; the
// policy that SNS gives a new topic uses SourceOwner.
// https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
func (c caller) asks(action string) request {
	return request{"cloudwatch.amazonaws.com", action, map[string]string{
		"aws:principalisawsservice": "true",
		"aws:securetransport":       "true",
		"aws:sourceaccount":         c.account,
		"aws:sourcearn":             c.alarm,
		"aws:sourceowner":           c.account,
	}}
}

// grant is a permission that CloudWatch needs.
type grant struct {
	resource string
	actions  []string
	show     string // the command that prints the policy
	set      string // the command that takes a policy as its next word
}

// examineGrant checks that a policy grants it for every alarm. It proposes a policy only if that would really
// suffice: an additional statement does not help against a Deny.
func examineGrant(subject, document string, callers []caller, g grant) Finding {
	refused, err := g.refused(document, callers)
	if err != nil {
		return missing(subject, g.show, "the policy could not be read: %v", err)
	}
	if refused == "" {
		return right(subject, "CloudWatch may use it")
	}
	mend := "take out of the policy what denies it: " + g.show
	mended, err := withStatement(document, map[string]any{
		"Effect":    "Allow",
		"Principal": map[string]string{"Service": "cloudwatch.amazonaws.com"},
		"Action":    g.actions,
		"Resource":  g.resource,
		"Condition": map[string]any{"StringEquals": map[string]string{"aws:SourceAccount": callers[0].account}},
	})
	if err != nil {
		return missing(subject, g.show, "the policy could not be read: %v", err)
	}
	if still, err := g.refused(mended, callers); err == nil && still == "" {
		mend = g.set + quote(mended)
	}
	return missing(subject, mend, "it does not allow CloudWatch %s: nobody hears of %s",
		strings.Join(g.actions, " and "), refused)
}

// refused returns the ARN of the first alarm for which a policy does not grant it; "" for none.
func (g grant) refused(document string, callers []caller) (alarm string, err error) {
	var p policy
	if err := json.Unmarshal([]byte(document), &p); err != nil {
		return "", err
	}
	for _, c := range callers {
		for _, action := range g.actions {
			if !p.allows(c.asks(strings.TrimSuffix(action, "*"))) {
				return c.alarm, nil
			}
		}
	}
	return "", nil
}
