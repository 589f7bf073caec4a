package template

import (
	"slices"
	"strings"
	"time"

	"frontdesk/internal/local/document"

	"gopkg.in/yaml.v3"
)

// loadedFunction is a function with the routes that lead to it.
type loadedFunction struct {
	Function
	routes []Route
}

// loadFunction reads an AWS::Serverless::Function.
// https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-function.html
func (s *scope) loadFunction(id string, r resource) (loadedFunction, error) {
	p := mergeGlobals(document.Lookup(s.Root, "Globals", "Function"), document.Lookup(r.body, "Properties"))
	f := loadedFunction{Function: Function{LogicalID: id}}
	seconds, err := s.numberProperty(p, "Timeout", 3, 1, 900)
	if err != nil {
		return f, err
	}
	f.Timeout = time.Duration(seconds) * time.Second
	if f.MemoryMB, err = s.numberProperty(p, "MemorySize", 128, 128, 10240); err != nil {
		return f, err
	}
	if f.Environment, err = s.environment(p); err != nil {
		return f, err
	}
	if f.Policies, err = s.policies(p); err != nil {
		return f, err
	}
	f.routes, err = s.httpRoutes(id, p)
	return f, err
}

func (s *scope) numberProperty(properties *yaml.Node, name string, absent, low, high int) (int, error) {
	n, err := s.property(properties, name)
	if n == nil || err != nil {
		return absent, err
	}
	return s.Number(n, low, high)
}

func (s *scope) environment(properties *yaml.Node) (map[string]string, error) {
	n, err := s.property(properties, "Environment")
	if err != nil {
		return nil, err
	}
	environment := make(map[string]string)
	for key, value := range document.Pairs(document.Lookup(n, "Variables")) {
		if environment[key.Value], err = s.Text(value); err != nil {
			return nil, err
		}
	}
	return environment, nil
}

// policies are what SAM makes the function's role from. A role made elsewhere, or a boundary around it, could not be
// enforced here.
func (s *scope) policies(properties *yaml.Node) (document.Fragment, error) {
	for _, name := range []string{"Role", "PermissionsBoundary"} {
		n, err := s.property(properties, name)
		if err != nil {
			return document.Fragment{}, err
		}
		if n != nil {
			return document.Fragment{}, s.Errorf(n, "%s is not known here: what a function may do stands in its Policies", name)
		}
	}
	n, err := s.property(properties, "Policies")
	if n == nil || err != nil {
		return document.Fragment{}, err
	}
	return s.Part(n), nil
}

// httpRoutes are the HttpApi events. Other events do not come through the gateway and are left out.
// https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-function-httpapi.html
func (s *scope) httpRoutes(id string, properties *yaml.Node) ([]Route, error) {
	events, err := s.property(properties, "Events")
	if err != nil {
		return nil, err
	}
	var routes []Route
	for name, event := range document.Pairs(events) {
		if kind := document.Lookup(event, "Type"); kind == nil || kind.Value != "HttpApi" {
			continue
		}
		method, path := document.Lookup(event, "Properties", "Method"), document.Lookup(event, "Properties", "Path")
		if method == nil || path == nil {
			return nil, s.Errorf(name, "the HttpApi event %s needs Method and Path: the $default route is not known", name.Value)
		}
		if v := document.Lookup(event, "Properties", "PayloadFormatVersion"); v != nil && v.Value != "2.0" {
			return nil, s.Errorf(v, "the payload format %s is not known", v.Value)
		}
		route := Route{Function: id}
		if route.Path, err = s.Text(path); err != nil {
			return nil, err
		}
		if route.Method, err = s.Text(method); err != nil {
			return nil, err
		}
		route.Method = strings.ToUpper(route.Method)
		if route.Method == "X-AMAZON-APIGATEWAY-ANY-METHOD" { // SAM's other name for it
			route.Method = "ANY"
		}
		routes = append(routes, route)
	}
	return routes, nil
}

// mergeGlobals merges Globals.Function into a function's properties as SAM does: a mapping key by key, a list in front
// of the function's own, and anything else only where the function is silent.
// https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-specification-template-anatomy-globals.html
func mergeGlobals(global, own *yaml.Node) *yaml.Node {
	if global == nil {
		return own
	}
	if own == nil {
		return global
	}
	_, globalIsCall := asIntrinsic(global)
	_, ownIsCall := asIntrinsic(own)
	if globalIsCall || ownIsCall || global.Kind != own.Kind || own.Kind == yaml.ScalarNode {
		return own
	}
	merged := *own
	if own.Kind == yaml.SequenceNode {
		merged.Content = slices.Concat(global.Content, own.Content)
		return &merged
	}
	merged.Content = nil
	for key, value := range document.Pairs(own) {
		merged.Content = append(merged.Content, key, mergeGlobals(document.Lookup(global, key.Value), value))
	}
	for key, value := range document.Pairs(global) {
		if document.Lookup(own, key.Value) == nil {
			merged.Content = append(merged.Content, key, value)
		}
	}
	return &merged
}
