package template

import (
	"slices"
	"strings"

	"frontdesk/internal/local/document"

	"gopkg.in/yaml.v3"
)

// Rule is an EventBridgeRule event of a function: what it matches of the default bus invokes the function. What an
// AWS::Events::Rule leads to is not on this machine.
type Rule struct {
	Function string            // logical id
	Pattern  document.Fragment // of the events, resolved
}

// EventDestination publishes the events of the mails of a configuration set of SES to EventBridge.
type EventDestination struct {
	Set   string   // the name of the configuration set
	Types []string // send, reject, bounce, complaint, delivery, deliveryDelay, …
}

// rules are the EventBridgeRule events of a function. One that does not hand on whole events of the default bus,
// always, is an error. See "EventBridgeRule" in SAM's developer guide.
func (s *scope) rules(id string, properties *yaml.Node) (rules []Rule) {
	for name, event := range document.Pairs(s.property(properties, "Events")) {
		if kind := document.Lookup(event, "Type"); kind == nil || kind.Value != "EventBridgeRule" {
			continue
		}
		p := document.Lookup(event, "Properties")
		for key := range document.Pairs(p) {
			if !slices.Contains([]string{"Pattern", "RuleName", "RetryPolicy", "DeadLetterConfig"}, key.Value) {
				panic(s.fail(key, "%s of the EventBridgeRule event %s is not known", key.Value, name.Value))
			}
		}
		pattern := document.Lookup(p, "Pattern")
		if pattern == nil {
			panic(s.fail(name, "the EventBridgeRule event %s needs a Pattern", name.Value))
		}
		rules = append(rules, Rule{Function: id, Pattern: s.Part(pattern)})
	}
	return rules
}

// retries are how often an asynchronous invocation that failed is tried again.
func (s *scope) retries(properties *yaml.Node) int {
	return s.number(s.property(properties, "EventInvokeConfig"), "MaximumRetryAttempts", 2, 0, 2)
}

// deadLetterQueue is the name of a function's queue for events with which it failed. A topic is not known here.
func (s *scope) deadLetterQueue(properties *yaml.Node) string {
	n := s.property(properties, "DeadLetterQueue")
	if n == nil {
		return ""
	}
	arn := document.Lookup(n, "TargetArn")
	if kind := document.Lookup(n, "Type"); kind == nil || kind.Value != "SQS" || arn == nil {
		panic(s.fail(n, "a DeadLetterQueue needs the Type SQS and a TargetArn"))
	}
	return arn.Value[strings.LastIndexByte(arn.Value, ':')+1:]
}

// eventDestination reads an AWS::SES::ConfigurationSetEventDestination; false if it is not of EventBridge, or is off.
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
