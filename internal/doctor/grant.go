package doctor

import (
	"encoding/json"
	"strings"
)

// caller is an alarm for which CloudWatch calls.
type caller struct{ account, alarm string } // the alarm's ARN

func (s *stack) callers(alarms []string) (callers []caller) {
	for _, name := range alarms {
		alarm := s.id
		alarm.Service, alarm.Resource = "cloudwatch", "alarm:"+name
		callers = append(callers, caller{s.id.AccountID, alarm.String()})
	}
	return callers
}

// asks is a call for the alarm. AWS documents SourceAccount and SourceArn; the policy that SNS gives a new topic
// has SourceOwner.
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

// grant is what CloudWatch has to be allowed.
type grant struct {
	resource string
	actions  []string
	show     string // the command that prints the policy
	set      string // the command that takes a policy as its next word
}

// examineGrant looks whether a policy allows it for every alarm.
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

// refused is the first alarm for which a policy does not allow it; "" for none.
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
