package samtemplate

import (
	"strings"
	"time"
	"unicode"

	"frontdesk/internal/develop/local/document"

	"gopkg.in/yaml.v3"
)

// function reads an AWS::Serverless::Function, with the routes and rules that invoke it.
// https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-function.html
func (s *scope) function(id string, r resource) (Function, []Route, []Rule) {
	p := s.mergeGlobals(document.Lookup(s.Root, "Globals", "Function"), document.Lookup(r.body, "Properties"))
	s.checkKeys(p, "the function "+id, functionProperties...)
	for name, event := range document.Pairs(s.property(p, "Events")) {
		kind := document.Lookup(event, "Type")
		if kind == nil || kind.Value != "HttpApi" && kind.Value != "EventBridgeRule" {
			panic(s.fail(name, "the event %s is neither an HttpApi nor an EventBridgeRule", name.Value))
		}
	}
	return Function{
		// The defaults and limits are Lambda's: 3 seconds, at most 15 minutes; 128 MB, at most 10 GB.
		LogicalID:   id,
		Timeout:     time.Duration(s.number(p, "Timeout", 3, 1, 900)) * time.Second,
		MemoryMB:    s.number(p, "MemorySize", 128, 128, 10240),
		Environment: s.environment(p),
		Policies:    s.policies(p),
		Retries:     s.retries(p),

		DeadLetterQueue: s.deadLetterQueue(p),
	}, s.httpRoutes(id, p), s.rules(id, p)
}

// Program returns the name of the function's folder below functions, and of its program on this machine: send-mail of
// SendMailFunction.
func (f Function) Program() string {
	var name strings.Builder
	for i, letter := range strings.TrimSuffix(f.LogicalID, "Function") {
		if i > 0 && unicode.IsUpper(letter) {
			name.WriteByte('-')
		}
		name.WriteRune(unicode.ToLower(letter))
	}
	return name.String()
}

// functionProperties are the properties of a function that are known. All others would make it another function than
// the one on this machine, such as a Role whose policies stand elsewhere.
var functionProperties = []string{
	"Architectures", "CodeUri", "DeadLetterQueue", "Description", "Environment", "EventInvokeConfig", "Events",
	"Handler", "LoggingConfig", "MemorySize", "Policies", "ReservedConcurrentExecutions", "Runtime", "Timeout",
	"Tracing",
}

// number reads a whole number within limits, or returns the default if the property is absent.
func (s *scope) number(properties *yaml.Node, name string, absent, low, high int) int {
	if n := s.property(properties, name); n != nil {
		return must(s.Number(n, low, high))
	}
	return absent
}

// environment reads the variables. One that is AWS::NoValue is left out.
func (s *scope) environment(properties *yaml.Node) map[string]string {
	environment := make(map[string]string)
	for key, value := range document.Pairs(document.Lookup(s.property(properties, "Environment"), "Variables")) {
		environment[key.Value] = must(s.Text(value))
	}
	return environment
}

// policies returns the policies of which SAM makes the function's role.
func (s *scope) policies(properties *yaml.Node) document.Fragment {
	if n := s.property(properties, "Policies"); n != nil {
		return s.Part(n)
	}
	return document.Fragment{}
}

// httpRoutes returns the HttpApi events. Other events do not come through the gateway. See "HttpApi" in SAM's
// developer guide.
func (s *scope) httpRoutes(id string, properties *yaml.Node) []Route {
	var routes []Route
	for name, event := range document.Pairs(s.property(properties, "Events")) {
		if document.Lookup(event, "Type").Value != "HttpApi" {
			continue
		}
		p := document.Lookup(event, "Properties")
		s.checkKeys(p, "the HttpApi event "+name.Value, "ApiId", "Method", "Path")
		method, path := document.Lookup(p, "Method"), document.Lookup(p, "Path")
		if method == nil || path == nil {
			panic(s.fail(name, "the HttpApi event %s needs Method and Path", name.Value))
		}
		routes = append(routes, Route{
			Function: id, Path: must(s.Text(path)), Method: strings.ToUpper(must(s.Text(method))),
		})
	}
	return routes
}

// mergeGlobals merges Globals.Function into a function's properties as SAM does. Mappings are merged key by key, and
// any other value counts only if the function has none. Two lists, which SAM joins, are not known. See "Globals section
// of the AWS SAM template" in SAM's developer guide.
func (s *scope) mergeGlobals(global, specific *yaml.Node) *yaml.Node {
	if global == nil {
		return specific
	}
	if specific == nil {
		return global
	}
	_, globalIsCall := asIntrinsic(global)
	_, specificIsCall := asIntrinsic(specific)
	// An intrinsic is one value for SAM, even if it would result in a mapping. So it is never merged.
	if globalIsCall || specificIsCall || global.Kind != specific.Kind || specific.Kind == yaml.ScalarNode {
		return specific
	}
	if specific.Kind == yaml.SequenceNode {
		panic(s.fail(specific, "a list here and in Globals is not known"))
	}
	merged := *specific
	// Keys of the function come first, in its order; keys that only Globals has follow.
	merged.Content = nil
	for key, value := range document.Pairs(specific) {
		merged.Content = append(merged.Content, key, s.mergeGlobals(document.Lookup(global, key.Value), value))
	}
	for key, value := range document.Pairs(global) {
		if document.Lookup(specific, key.Value) == nil {
			merged.Content = append(merged.Content, key, value)
		}
	}
	return &merged
}
