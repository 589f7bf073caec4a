package samtemplate

import (
	"strings"

	"frontdesk/internal/develop/local/document"

	"gopkg.in/yaml.v3"
)

// Rule hands every event on the default bus that matches to one target: an EventBridgeRule event to its function, an
// AWS::Events::Rule to a webhook.
type Rule struct {
	Function string            // logical id; "" for a webhook
	Webhook  *Webhook          // nil for a function
	Pattern  document.Fragment // that an event has to match, with intrinsics resolved
}

// EventDestination publishes events of mails with a configuration set of SES to EventBridge.
type EventDestination struct {
	Set   string   // name of the configuration set
	Types []string // send, reject, bounce, complaint, delivery, deliveryDelay, …
}

// rules returns the EventBridgeRule events of a function. It refuses a rule that does anything but pass on whole events
// of the default bus. See "EventBridgeRule" in SAM's developer guide.
func (s *scope) rules(id string, properties *yaml.Node) (rules []Rule) {
	for name, event := range document.Pairs(s.property(properties, "Events")) {
		if document.Lookup(event, "Type").Value != "EventBridgeRule" {
			continue
		}
		p := document.Lookup(event, "Properties")
		// These four do not change what the function gets. Others, such as InputPath or State, do.
		s.checkKeys(p, "the EventBridgeRule event "+name.Value,
			"Pattern", "RuleName", "RetryPolicy", "DeadLetterConfig")
		pattern := document.Lookup(p, "Pattern")
		if pattern == nil {
			panic(s.fail(name, "the EventBridgeRule event %s needs a Pattern", name.Value))
		}
		rules = append(rules, Rule{Function: id, Pattern: s.Part(pattern)})
	}
	return rules
}

// retries returns how often a failed asynchronous invocation is repeated.
func (s *scope) retries(properties *yaml.Node) int {
	return s.number(s.property(properties, "EventInvokeConfig"), "MaximumRetryAttempts", 2, 0, 2)
}

// deadLetterQueue returns the name of the function's queue for events that failed every time, or "". It refuses
// a topic.
func (s *scope) deadLetterQueue(properties *yaml.Node) string {
	n := s.property(properties, "DeadLetterQueue")
	if n == nil {
		return ""
	}
	arn := document.Lookup(n, "TargetArn")
	if kind := document.Lookup(n, "Type"); kind == nil || kind.Value != "SQS" || arn == nil {
		panic(s.fail(n, "a DeadLetterQueue needs the Type SQS and a TargetArn"))
	}
	return nameOf(arn.Value)
}

// nameOf returns the name of a queue, which is the last part of its ARN.
func nameOf(arn string) string { return arn[strings.LastIndexByte(arn, ':')+1:] }

// eventDestination reads an AWS::SES::ConfigurationSetEventDestination. It returns false for one that does not lead to
// EventBridge, or that is switched off.
func (s *scope) eventDestination(r resource) (d EventDestination, ok bool) {
	p := document.Lookup(r.body, "Properties")
	to := s.property(p, "EventDestination")
	enabled := document.Lookup(to, "Enabled")
	if document.Lookup(to, "EventBridgeDestination") == nil || enabled != nil && enabled.Value == "false" {
		return d, false
	}
	set, types := document.Lookup(p, "ConfigurationSetName"), document.Lookup(to, "MatchingEventTypes")
	if set == nil || types == nil {
		panic(s.fail(r.key, "%s needs ConfigurationSetName and MatchingEventTypes", r.key.Value))
	}
	return EventDestination{s.resolveText(set), must(s.Texts(types))}, true
}
