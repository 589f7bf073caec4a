package template

import (
	"strings"

	"frontdesk/internal/local/document"

	"gopkg.in/yaml.v3"
)

// scope gives meaning to the names in one template: its parameters, conditions, mappings and resources.
type scope struct {
	document.Fragment
	values     Values
	parameters map[string]*yaml.Node // a scalar, or a sequence for a list
	resources  map[string]resource
	order      []string        // logical ids in the order of the template, without generated ones
	conditions map[string]bool // values of the conditions evaluated so far
	visiting   map[string]bool // what is being evaluated; meeting it again is a circular reference
}

// resource is an entry of Resources, or one that SAM generates.
type resource struct {
	kind string     // such as AWS::DynamoDB::Table
	key  *yaml.Node // the logical id
	body *yaml.Node // nil for a generated resource
	when *yaml.Node // the name of its condition; nil if it has none
}

// implicitAPI is the logical id of the API that SAM makes for HttpApi events without an ApiId.
const implicitAPI = "ServerlessHttpApi"

// newScope collects the resources first, because parameters are checked against them, and refuses other transforms.
func newScope(d document.Fragment, v Values) *scope {
	s := &scope{
		Fragment:   d,
		values:     v,
		parameters: make(map[string]*yaml.Node),
		resources:  make(map[string]resource),
		conditions: make(map[string]bool),
		visiting:   make(map[string]bool),
	}
	if n := document.Lookup(d.Root, "Transform"); n != nil {
		for _, name := range must(s.Texts(n)) {
			if name != transform {
				panic(s.fail(n, "the transform %s is not known", name))
			}
		}
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
	addStage := func(api string, name *yaml.Node) {
		// SAM lets a template refer to the stage by this name too.
		add(api+".Stage", "AWS::ApiGatewayV2::Stage")
		// SAM names the stage of an API after its StageName; without one, the stage is the default one.
		if name == nil {
			add(api+"ApiGatewayDefaultStage", "AWS::ApiGatewayV2::Stage")
		} else {
			add(api+name.Value+"Stage", "AWS::ApiGatewayV2::Stage")
		}
	}
	switch r.kind {
	case "AWS::Serverless::HttpApi":
		addStage(id, document.Lookup(r.body, "Properties", "StageName"))
	case "AWS::Serverless::Function":
		if document.Lookup(r.body, "Properties", "Role") == nil {
			add(id+"Role", "AWS::IAM::Role")
		}
		for name, event := range document.Pairs(document.Lookup(r.body, "Properties", "Events")) {
			kind := document.Lookup(event, "Type")
			if kind != nil && kind.Value == "EventBridgeRule" {
				add(id+name.Value, "AWS::Events::Rule")
			}
			if kind != nil && kind.Value == "HttpApi" && document.Lookup(event, "Properties", "ApiId") == nil {
				add(implicitAPI, "AWS::Serverless::HttpApi")
				addStage(implicitAPI, nil)
			}
		}
	}
}

// visit marks something as being evaluated, until leave is called.
func (s *scope) visit(at *yaml.Node, what string) (leave func()) {
	if s.visiting[what] {
		panic(s.fail(at, "the %s refers to itself", what))
	}
	s.visiting[what] = true
	return func() { delete(s.visiting, what) }
}

// nameProperty is the property that sets a resource's name, which !Ref returns.
var nameProperty = map[string]string{
	"AWS::DynamoDB::Table":       "TableName",
	"AWS::Logs::LogGroup":        "LogGroupName",
	"AWS::SES::ConfigurationSet": "Name",
	"AWS::SES::EmailIdentity":    "EmailIdentity",
	"AWS::Serverless::Function":  "FunctionName",
}

// physicalName returns what !Ref returns for a resource: the name that the template sets, or else <stack>-<logical id>.
func (s *scope) physicalName(at *yaml.Node, id string) string {
	r := s.resources[id]
	// CloudFormation refuses such a reference too.
	if !s.exists(r) {
		panic(s.fail(at, "%s does not exist: its condition %s is false", id, r.when.Value))
	}
	name := document.Lookup(r.body, "Properties", nameProperty[r.kind])
	if name == nil {
		return s.values.StackName + "-" + id
	}
	// A name may refer to other resources, and through them to itself.
	defer s.visit(at, "name of "+id)()
	return s.resolveText(name)
}

// attribute returns what !GetAtt returns. An ARN has the form that policies are matched against; any other attribute is
// just a unique local name.
func (s *scope) attribute(at *yaml.Node, id, attribute string) string {
	name := s.physicalName(at, id)
	if r := s.resources[id]; r.kind+"."+attribute == "AWS::SSM::Parameter.Value" {
		defer s.visit(at, "value of "+id)()
		return s.resolveText(document.Lookup(r.body, "Properties", "Value"))
	}
	if !strings.HasSuffix(attribute, "Arn") {
		return name + "." + attribute
	}
	kind := s.resources[id].kind
	switch kind + "." + attribute {
	case "AWS::DynamoDB::Table.Arn":
		return s.values.ARN("dynamodb", "table/"+name)
	case "AWS::DynamoDB::Table.StreamArn":
		return s.values.ARN("dynamodb", "table/"+name+"/stream/local")
	case "AWS::Serverless::Function.Arn":
		return s.values.ARN("lambda", "function:"+name)
	case "AWS::Events::ApiDestination.Arn":
		return s.values.ARN("events", "api-destination/"+name+"/local")
	case "AWS::Events::Rule.Arn":
		return s.values.ARN("events", "rule/"+name)
	case "AWS::Logs::LogGroup.Arn":
		return s.values.ARN("logs", "log-group:"+name+":*")
	case "AWS::IAM::Role.Arn":
		return "arn:" + s.values.Partition + ":iam::" + s.values.AccountID + ":role/" + name
	}
	// The middle of a type is the service: AWS::SQS::Queue becomes sqs.
	_, service, _ := strings.Cut(kind, "::")
	service, _, _ = strings.Cut(service, "::")
	return s.values.ARN(strings.ToLower(service), name)
}

// pseudoParameter returns the value of AWS::Region and other pseudo parameters.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/pseudo-parameter-reference.html
func (s *scope) pseudoParameter(name string) (value string, ok bool) {
	v := s.values
	switch name {
	case "AWS::AccountId":
		return v.AccountID, true
	case "AWS::Partition":
		return v.Partition, true
	case "AWS::Region":
		return v.Region, true
	case "AWS::StackId":
		return v.ARN("cloudformation", "stack/"+v.StackName+"/local"), true
	case "AWS::StackName":
		return v.StackName, true
	case "AWS::URLSuffix":
		if v.Partition == "aws-cn" {
			return "amazonaws.com.cn", true
		}
		return "amazonaws.com", true
	}
	return "", false
}
