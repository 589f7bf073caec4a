// Package samtemplate reads what a stack needs from a SAM template, as CloudFormation and SAM's transform would:
// parameters and rules for them, conditions, intrinsic functions in their short form, Globals of functions and, of the
// resources, functions with their HttpApi and EventBridgeRule events, rules of EventBridge that lead to API
// destinations, the CORS of the API, tables, queues, and destinations of SES's events. It knows of each what the
// project's template uses; anything else in them is an error with its line. Other resources matter only if something
// refers to them, and names have no random part.
package samtemplate

import (
	"slices"
	"time"

	"frontdesk/internal/develop/local/document"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"gopkg.in/yaml.v3"
)

// Template is what the local stack needs of a SAM template, with every intrinsic resolved. Lists have the order of
// the template.
type Template struct {
	Functions  []Function
	Routes     []Route
	Tables     []Table
	Queues     []Queue
	Parameters map[string]string // as CloudFormation tells them: **** for NoEcho
	CORS       *CORS             // nil if the API has none
	Rules      []Rule
	// EventDestinations are the event destinations of SES that lead to EventBridge.
	EventDestinations []EventDestination
}

// Function is an AWS::Serverless::Function with Globals merged.
type Function struct {
	LogicalID   string
	Timeout     time.Duration     // whole seconds; default 3 s
	MemoryMB    int               // default 128
	Environment map[string]string // Environment.Variables
	Policies    document.Fragment // of its role, resolved; without a root if there are none
	Retries     int               // of a failed asynchronous invocation; default 2
	// DeadLetterQueue is the name of the queue for events that failed every time; "" for none.
	DeadLetterQueue string
}

// Route is an HttpApi event of a function.
type Route struct {
	Method   string // upper case, or "ANY"
	Path     string // as in the template: /a/{b}, /a/{proxy+}
	Function string // logical id
}

// Key returns API Gateway's route key, for instance "GET /pets/{id}".
func (r Route) Key() string { return r.Method + " " + r.Path }

// Table is an AWS::DynamoDB::Table.
type Table struct {
	Name         string                     // as !Ref returns it
	Input        *dynamodb.CreateTableInput // to create it
	TTLAttribute string                     // empty if no item expires
	Recovery     bool                       // point-in-time recovery, which the local server does not have
	Exists       bool                       // an existing table that the stack must not create
}

// Queue is an AWS::SQS::Queue.
type Queue struct{ LogicalID, Name string }

// Values are the local answers to what CloudFormation knows only during a deployment.
type Values struct {
	Region     string            // AWS::Region, such as us-east-1
	AccountID  string            // AWS::AccountId, 12 digits
	Partition  string            // AWS::Partition, such as aws
	StackName  string            // AWS::StackName; also the prefix of names that the template does not set
	Parameters map[string]string // by name; they replace the Default of the template's Parameters
	Defaults   map[string]string // by name, for parameters that have no Default; the template may lack them
}

// ARN returns the name of a resource of a service that has regions and accounts.
func (v Values) ARN(service, resource string) string {
	return "arn:" + v.Partition + ":" + service + ":" + v.Region + ":" + v.AccountID + ":" + resource
}

// sections are the parts of a template that may contain intrinsics, and plainSections the others.
var (
	sections      = []string{"Rules", "Globals", "Conditions", "Resources", "Outputs"}
	plainSections = []string{"AWSTemplateFormatVersion", "Transform", "Description", "Parameters"}
)

// transform is the only transform that this package applies. Any other could change what the template means.
const transform = "AWS::Serverless-2016-10-31"

// Load reads a SAM template and resolves it with v. It leaves out resources whose condition is false.
//
// Whatever cannot be resolved as CloudFormation would is an error, which begins with the path and the line: an unknown
// intrinsic anywhere, a reference to nothing, a parameter without a value or with a forbidden one, parameters that a
// rule refuses.
func Load(path string, v Values) (t *Template, err error) {
	d, err := document.Read(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			// A panic of another kind is a defect of this package, and must not look like one of the template.
			if !ok {
				panic(r)
			}
			t, err = nil, f.error
		}
	}()
	s := newScope(d, v)
	s.checkKeys(d.Root, "the template", slices.Concat(plainSections, sections)...)
	s.checkKeys(document.Lookup(d.Root, "Globals"), "Globals", "Function")
	for _, name := range sections {
		if section := document.Lookup(d.Root, name); section != nil {
			s.check(section)
		}
	}
	s.assert()
	return s.template(), nil
}

// failure ends the evaluation of a template by a panic, which Load recovers: evaluation is recursive, and may fail at
// every step.
type failure struct{ error }

// fail returns an error at the line of a node, for panic.
func (s *scope) fail(at *yaml.Node, format string, args ...any) failure {
	return failure{s.Errorf(at, format, args...)}
}

// must panics with a failure if err is not nil.
func must[T any](value T, err error) T {
	if err != nil {
		panic(failure{err})
	}
	return value
}

// template resolves the existing resources.
func (s *scope) template() *Template {
	t := &Template{Parameters: make(map[string]string)}
	for name, value := range s.parameters {
		t.Parameters[name] = value
		if hidden := document.Lookup(s.Root, "Parameters", name, "NoEcho"); hidden != nil && hidden.Value == "true" {
			t.Parameters[name] = "****"
		}
	}
	taken := make(map[string]bool) // by key
	for _, id := range s.order {
		r := s.resources[id]
		if !s.exists(r) {
			continue
		}
		switch r.kind {
		case "AWS::Serverless::Function":
			f, routes, rules := s.function(id, r)
			t.Functions, t.Rules = append(t.Functions, f), append(t.Rules, rules...)
			for _, route := range routes {
				// API Gateway allows a route key only once in an API.
				if taken[route.Key()] {
					panic(s.fail(r.key, "%s has a route that is taken: %s", id, route.Key()))
				}
				taken[route.Key()] = true
				t.Routes = append(t.Routes, route)
			}
		case "AWS::Serverless::HttpApi":
			p := document.Lookup(r.body, "Properties")
			s.checkKeys(p, "the API "+id, "AccessLogSettings", "CorsConfiguration", "DefaultRouteSettings",
				"DisableExecuteApiEndpoint", "RouteSettings")
			t.CORS = s.cors(p)
		case "AWS::DynamoDB::Table":
			t.Tables = append(t.Tables, s.table(id, r))
		case "AWS::SQS::Queue":
			t.Queues = append(t.Queues, Queue{id, s.physicalName(r.key, id)})
		case "AWS::Events::Rule":
			t.Rules = append(t.Rules, s.webhooks(id, r)...)
		case "AWS::SES::ConfigurationSetEventDestination":
			if d, ok := s.eventDestination(r); ok {
				t.EventDestinations = append(t.EventDestinations, d)
			}
		}
	}
	return t
}

// property returns a property with its intrinsics resolved, or nil if it is absent or AWS::NoValue.
func (s *scope) property(properties *yaml.Node, name string) *yaml.Node {
	if n := document.Lookup(properties, name); n != nil {
		return s.resolve(n)
	}
	return nil
}
