package samtemplate

import (
	"slices"

	"frontdesk/internal/develop/local/document"

	"gopkg.in/yaml.v3"
)

// Webhook is an AWS::Events::ApiDestination as the target of an AWS::Events::Rule: an address outside of AWS that gets
// the events.
type Webhook struct {
	RuleARN string
	ARN     string // of the API destination
	Method  string
	URL     string
	// Header and Secret are the field that authorizes the requests: the API key of the AWS::Events::Connection.
	Header  string
	Secret  string
	Retries int // of a request that failed; default 185
	// DeadLetterQueue is the name of the queue for events that failed every time; "" for none.
	DeadLetterQueue string
}

// webhooks returns a rule for each target of an AWS::Events::Rule that is an API destination of this template. Other
// targets are not on this machine. It refuses properties that change what an API destination gets.
func (s *scope) webhooks(id string, r resource) (rules []Rule) {
	p := document.Lookup(r.body, "Properties")
	targets := s.property(p, "Targets")
	if targets == nil {
		return nil
	}
	for _, target := range targets.Content {
		arn := document.Lookup(target, "Arn")
		if arn == nil {
			panic(s.fail(target, "a target of %s has no Arn", id))
		}
		destination, found := s.byARN("AWS::Events::ApiDestination", arn.Value)
		if !found {
			continue
		}
		s.checkKeys(p, "the rule "+id, "Name", "Description", "EventPattern", "Targets")
		s.checkKeys(target, "a target of "+id, "Id", "Arn", "RoleArn", "RetryPolicy", "DeadLetterConfig")
		pattern := s.property(p, "EventPattern")
		if pattern == nil {
			panic(s.fail(r.key, "the rule %s needs an EventPattern", id))
		}
		w := s.webhook(destination)
		w.RuleARN, w.ARN = s.attribute(r.key, id, "Arn"), arn.Value
		w.Retries = s.number(document.Lookup(target, "RetryPolicy"), "MaximumRetryAttempts", 185, 0, 185)
		if queue := document.Lookup(target, "DeadLetterConfig", "Arn"); queue != nil {
			w.DeadLetterQueue = nameOf(queue.Value)
		}
		rules = append(rules, Rule{Webhook: &w, Pattern: s.Part(pattern)})
	}
	return rules
}

// webhook reads an API destination and its connection, which has to authorize by an API key.
func (s *scope) webhook(destination resource) (w Webhook) {
	p := document.Lookup(destination.body, "Properties")
	w.Method, w.URL = s.required(destination, p, "HttpMethod"), s.required(destination, p, "InvocationEndpoint")
	connection, found := s.byARN("AWS::Events::Connection", s.required(destination, p, "ConnectionArn"))
	if !found {
		panic(s.fail(destination.key, "the connection of %s is not in this template", destination.key.Value))
	}
	parameters := s.property(document.Lookup(connection.body, "Properties"), "AuthParameters")
	s.checkKeys(parameters, "AuthParameters of "+connection.key.Value, "ApiKeyAuthParameters")
	key := document.Lookup(parameters, "ApiKeyAuthParameters")
	w.Header, w.Secret = s.required(connection, key, "ApiKeyName"), s.required(connection, key, "ApiKeyValue")
	return w
}

// byARN finds a resource of this template by its kind and its ARN.
func (s *scope) byARN(kind, arn string) (r resource, found bool) {
	for _, id := range s.order {
		r := s.resources[id]
		if r.kind == kind && s.exists(r) && s.attribute(r.key, id, "Arn") == arn {
			return r, true
		}
	}
	return r, false
}

// required returns a property of a resource, resolved. It refuses a resource without it.
func (s *scope) required(r resource, properties *yaml.Node, name string) string {
	n := document.Lookup(properties, name)
	if n == nil {
		panic(s.fail(r.key, "%s needs %s", r.key.Value, name))
	}
	return s.resolveText(n)
}

// checkKeys refuses every other key of a mapping.
func (s *scope) checkKeys(mapping *yaml.Node, what string, known ...string) {
	for key := range document.Pairs(mapping) {
		if !slices.Contains(known, key.Value) {
			panic(s.fail(key, "%s of %s is not known", key.Value, what))
		}
	}
}
