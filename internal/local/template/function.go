package template

import (
	"slices"
	"strings"
	"time"

	"frontdesk/internal/local/document"

	"gopkg.in/yaml.v3"
)

// function reads an AWS::Serverless::Function, with the routes and rules that invoke it.
// https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-function.html
func (s *scope) function(id string, r resource) (Function, []Route, []Rule) {
	p := mergeGlobals(document.Lookup(s.Root, "Globals", "Function"), document.Lookup(r.body, "Properties"))
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

// policies returns the policies of which SAM makes the function's role. It refuses a role that is made elsewhere, and a
// permissions boundary: the gate could not enforce them.
func (s *scope) policies(properties *yaml.Node) document.Fragment {
	for _, name := range []string{"Role", "PermissionsBoundary"} {
		if n := s.property(properties, name); n != nil {
			panic(s.fail(n, "%s is not known here: what a function may do stands in its Policies", name))
		}
	}
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
		if kind := document.Lookup(event, "Type"); kind == nil || kind.Value != "HttpApi" {
			continue
		}
		p := document.Lookup(event, "Properties")
		method, path := document.Lookup(p, "Method"), document.Lookup(p, "Path")
		if method == nil || path == nil {
			const message = "the HttpApi event %s needs Method and Path: the $default route is not known"
			panic(s.fail(name, message, name.Value))
		}
		if v := document.Lookup(p, "PayloadFormatVersion"); v != nil && v.Value != "2.0" {
			panic(s.fail(v, "the payload format %s is not known", v.Value))
		}
		route := Route{Function: id, Path: must(s.Text(path)), Method: strings.ToUpper(must(s.Text(method)))}
		// SAM accepts the name by which OpenAPI's extension calls the method ANY.
		if route.Method == "X-AMAZON-APIGATEWAY-ANY-METHOD" {
			route.Method = "ANY"
		}
		routes = append(routes, route)
	}
	return routes
}

// mergeGlobals merges Globals.Function into a function's properties as SAM does. Mappings are merged key by key, a list
// is put in front of the function's own, and any other value counts only if the function has none. See "Globals section
// of the AWS SAM template" in SAM's developer guide.
func mergeGlobals(global, specific *yaml.Node) *yaml.Node {
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
	merged := *specific
	if specific.Kind == yaml.SequenceNode {
		merged.Content = slices.Concat(global.Content, specific.Content)
		return &merged
	}
	// Keys of the function come first, in its order; keys that only Globals has follow.
	merged.Content = nil
	for key, value := range document.Pairs(specific) {
		merged.Content = append(merged.Content, key, mergeGlobals(document.Lookup(global, key.Value), value))
	}
	for key, value := range document.Pairs(global) {
		if document.Lookup(specific, key.Value) == nil {
			merged.Content = append(merged.Content, key, value)
		}
	}
	return &merged
}
