package template

import (
	"strings"

	"frontdesk/internal/local/document"

	"gopkg.in/yaml.v3"
)

// scope is what names mean inside one template: its parameters, conditions, mappings and resources.
type scope struct {
	document.Fragment
	values     Values
	parameters map[string]*yaml.Node // a scalar, or a sequence for a list
	resources  map[string]resource
	order      []string        // logical ids as the template writes them, without the generated ones
	verdicts   map[string]bool // the conditions evaluated so far
	pending    map[string]bool // what is being evaluated now; meeting it again is a circle
}

// resource is an entry of Resources, or one that SAM generates beside it.
type resource struct {
	kind string     // AWS::DynamoDB::Table
	key  *yaml.Node // the logical id
	body *yaml.Node // nil: generated
	when *yaml.Node // the name of its condition; nil: always
}

// implicitAPI is the logical id of the API that SAM makes for HttpApi events that name none.
const implicitAPI = "ServerlessHttpApi"

func newScope(d document.Fragment, v Values) (*scope, error) {
	s := &scope{
		Fragment:   d,
		values:     v,
		parameters: make(map[string]*yaml.Node),
		resources:  make(map[string]resource),
		verdicts:   make(map[string]bool),
		pending:    make(map[string]bool),
	}
	for key, body := range document.Pairs(document.Lookup(d.Root, "Resources")) {
		kind := document.Lookup(body, "Type")
		if kind == nil || kind.Kind != yaml.ScalarNode {
			return nil, d.Errorf(key, "the resource %s has no Type", key.Value)
		}
		r := resource{kind: kind.Value, key: key, body: body, when: document.Lookup(body, "Condition")}
		s.resources[key.Value] = r
		s.order = append(s.order, key.Value)
	}
	for _, id := range s.order {
		s.generate(id, s.resources[id])
	}
	return s, s.loadParameters()
}

// generate adds the resources that SAM makes for r and that a template may refer to.
// https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-specification-generated-resources.html
func (s *scope) generate(id string, r resource) {
	add := func(id, kind string) {
		if _, ok := s.resources[id]; !ok {
			s.resources[id] = resource{kind: kind, key: r.key, when: r.when}
		}
	}
	addStage := func(api string, name *yaml.Node) {
		add(api+".Stage", "AWS::ApiGatewayV2::Stage")
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
		for _, event := range document.Pairs(document.Lookup(r.body, "Properties", "Events")) {
			kind := document.Lookup(event, "Type")
			if kind != nil && kind.Value == "HttpApi" && document.Lookup(event, "Properties", "ApiId") == nil {
				add(implicitAPI, "AWS::Serverless::HttpApi")
				addStage(implicitAPI, nil)
			}
		}
	}
}

// enter marks what as being evaluated until leave is called.
func (s *scope) enter(at *yaml.Node, what string) (leave func(), err error) {
	if s.pending[what] {
		return nil, s.Errorf(at, "the %s refers to itself", what)
	}
	s.pending[what] = true
	return func() { delete(s.pending, what) }, nil
}

// nameProperty is the property that !Ref gives, where a template sets it.
var nameProperty = map[string]string{
	"AWS::DynamoDB::Table":       "TableName",
	"AWS::Logs::LogGroup":        "LogGroupName",
	"AWS::SES::ConfigurationSet": "Name",
	"AWS::SES::EmailIdentity":    "EmailIdentity",
	"AWS::Serverless::Function":  "FunctionName",
}

// physicalName is what !Ref gives for a resource: the name that the template sets, else <stack>-<logical id>.
func (s *scope) physicalName(at *yaml.Node, id string) (string, error) {
	r := s.resources[id]
	if exists, err := s.exists(r); err != nil {
		return "", err
	} else if !exists {
		return "", s.Errorf(at, "%s does not exist: its condition %s is false", id, r.when.Value)
	}
	fixed := document.Lookup(r.body, "Properties", nameProperty[r.kind])
	if fixed == nil {
		return s.values.StackName + "-" + id, nil
	}
	leave, err := s.enter(at, "name of "+id)
	if err != nil {
		return "", err
	}
	defer leave()
	return s.resolveText(fixed)
}

// attribute is what !GetAtt gives: for an arn one that policies can be matched against, else a plain local name.
func (s *scope) attribute(at *yaml.Node, id, attribute string) (string, error) {
	name, err := s.physicalName(at, id)
	if err != nil {
		return "", err
	}
	if !strings.HasSuffix(attribute, "Arn") {
		return name + "." + attribute, nil
	}
	kind := s.resources[id].kind
	switch kind + "." + attribute {
	case "AWS::DynamoDB::Table.Arn":
		return s.values.ARN("dynamodb", "table/"+name), nil
	case "AWS::DynamoDB::Table.StreamArn":
		return s.values.ARN("dynamodb", "table/"+name+"/stream/local"), nil
	case "AWS::Serverless::Function.Arn":
		return s.values.ARN("lambda", "function:"+name), nil
	case "AWS::Logs::LogGroup.Arn":
		return s.values.ARN("logs", "log-group:"+name+":*"), nil
	case "AWS::IAM::Role.Arn":
		return "arn:" + s.values.Partition + ":iam::" + s.values.AccountID + ":role/" + name, nil
	}
	_, service, _ := strings.Cut(kind, "::")
	service, _, _ = strings.Cut(service, "::")
	return s.values.ARN(strings.ToLower(service), name), nil
}

// pseudoParameter is the value of AWS::Region and its like.
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
