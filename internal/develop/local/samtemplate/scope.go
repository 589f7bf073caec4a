package samtemplate

import (
	"frontdesk/internal/develop/local/document"

	"gopkg.in/yaml.v3"
)

// scope gives meaning to the names in one template: its parameters, conditions and resources.
type scope struct {
	document.Fragment
	values     Values
	parameters map[string]string
	resources  map[string]resource
	order      []string        // logical ids in the order of the template, without generated ones
	conditions map[string]bool // values of the conditions evaluated so far
	evaluating map[string]bool // what is being evaluated; meeting it again is a circular reference
}

// resource is an entry of Resources, or one that SAM generates.
type resource struct {
	kind string     // such as AWS::DynamoDB::Table
	key  *yaml.Node // the logical id
	body *yaml.Node // nil for a generated resource
	when *yaml.Node // the name of its condition; nil if it has none
}

// newScope collects the parameters and the resources, and refuses other transforms.
func newScope(d document.Fragment, v Values) *scope {
	s := &scope{
		Fragment:   d,
		values:     v,
		parameters: make(map[string]string),
		resources:  make(map[string]resource),
		conditions: make(map[string]bool),
		evaluating: make(map[string]bool),
	}
	if n := document.Lookup(d.Root, "Transform"); n != nil && must(s.Text(n)) != transform {
		panic(s.fail(n, "the transform %s is not known", n.Value))
	}
	for key, body := range document.Pairs(document.Lookup(d.Root, "Resources")) {
		kind := document.Lookup(body, "Type")
		if kind == nil || kind.Kind != yaml.ScalarNode {
			panic(s.fail(key, "the resource %s has no Type", key.Value))
		}
		r := resource{kind: kind.Value, key: key, body: body, when: document.Lookup(body, "Condition")}
		s.resources[key.Value] = r
		s.order = append(s.order, key.Value)
	}
	// Generated resources come after all others, because an explicit resource of the same name takes precedence.
	for _, id := range s.order {
		s.generate(id, s.resources[id])
	}
	s.loadParameters()
	return s
}

// generate adds those resources that SAM generates for r and to which a template may refer. See "Generated
// CloudFormation resources for AWS SAM" in SAM's developer guide.
func (s *scope) generate(id string, r resource) {
	// A generated resource exists under the condition of the resource for which SAM generates it.
	add := func(id, kind string) {
		if _, ok := s.resources[id]; !ok {
			s.resources[id] = resource{kind: kind, key: r.key, when: r.when}
		}
	}
	switch r.kind {
	case "AWS::Serverless::HttpApi":
		add(id+"ApiGatewayDefaultStage", "AWS::ApiGatewayV2::Stage")
	case "AWS::Serverless::Function":
		for name, event := range document.Pairs(document.Lookup(r.body, "Properties", "Events")) {
			if kind := document.Lookup(event, "Type"); kind != nil && kind.Value == "EventBridgeRule" {
				add(id+name.Value, "AWS::Events::Rule")
			}
		}
	}
}

// enter marks something as being evaluated, until leave is called.
func (s *scope) enter(at *yaml.Node, what string) (leave func()) {
	if s.evaluating[what] {
		panic(s.fail(at, "the %s refers to itself", what))
	}
	s.evaluating[what] = true
	return func() { delete(s.evaluating, what) }
}

// physicalName returns what !Ref returns for a resource: <stack>-<logical id>.
func (s *scope) physicalName(at *yaml.Node, id string) string {
	r := s.resources[id]
	// CloudFormation refuses such a reference too.
	if !s.exists(r) {
		panic(s.fail(at, "%s does not exist: its condition %s is false", id, r.when.Value))
	}
	for _, property := range []string{"Name", "TableName", "FunctionName", "QueueName"} {
		if n := document.Lookup(r.body, "Properties", property); n != nil {
			panic(s.fail(n, "%s is not known: CloudFormation names what is referred to", property))
		}
	}
	return s.values.StackName + "-" + id
}

// attribute returns what !GetAtt returns.
func (s *scope) attribute(at *yaml.Node, id, attribute string) string {
	name := s.physicalName(at, id)
	r := s.resources[id]
	switch r.kind + "." + attribute {
	case "AWS::SSM::Parameter.Value":
		defer s.enter(at, "value of "+id)()
		return s.resolveText(document.Lookup(r.body, "Properties", "Value"))
	case "AWS::Events::ApiDestination.Arn":
		return s.values.ARN("events", "api-destination/"+name+"/local")
	case "AWS::Events::Connection.Arn":
		return s.values.ARN("events", "connection/"+name+"/local")
	case "AWS::Events::Rule.Arn":
		return s.values.ARN("events", "rule/"+name)
	case "AWS::IAM::Role.Arn":
		return "arn:" + s.values.Partition + ":iam::" + s.values.AccountID + ":role/" + name
	case "AWS::SQS::Queue.Arn":
		return s.values.ARN("sqs", name)
	}
	panic(s.fail(at, "the attribute %s of an %s is not known", attribute, r.kind))
}

// pseudoParameter returns the value of AWS::Region and other pseudo parameters.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/pseudo-parameter-reference.html
func (s *scope) pseudoParameter(name string) (value string, ok bool) {
	switch name {
	case "AWS::AccountId":
		return s.values.AccountID, true
	case "AWS::Partition":
		return s.values.Partition, true
	case "AWS::Region":
		return s.values.Region, true
	case "AWS::StackName":
		return s.values.StackName, true
	case "AWS::URLSuffix":
		return "amazonaws.com", true
	}
	return "", false
}
