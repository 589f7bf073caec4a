// Package template reads what a stack needs of a SAM template as CloudFormation and SAM's transform do: parameters,
// conditions, mappings, intrinsic functions, Globals, and of the resources the functions, their HttpApi and
// EventBridgeRule events, the CORS of the API, the tables, the queues, and the destinations of SES's events. It differs
// from them in what it leaves out: other resources matter only where something refers to them, names have no random
// part, nothing is imported from other stacks, and no macro runs.
package template

import (
	"strings"
	"time"

	"frontdesk/internal/local/document"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"gopkg.in/yaml.v3"
)

// Template is what the local stack needs of a SAM template: functions, their routes and policies, and tables, with
// every intrinsic resolved. Lists are in the order of the template.
type Template struct {
	Functions  []Function
	Routes     []Route
	Tables     []Table
	Queues     []Queue
	Parameters map[string]string // their values; lists with commas
	CORS       *CORS             // nil: the API has none
	Rules      []Rule
	// EventDestinations are those of SES that lead to EventBridge.
	EventDestinations []EventDestination
}

// Function is an AWS::Serverless::Function, Globals merged.
type Function struct {
	LogicalID   string
	Timeout     time.Duration     // whole seconds; 3 s when the template is silent
	MemoryMB    int               // 128 when the template is silent
	Environment map[string]string // Environment.Variables
	Policies    document.Fragment // of its role, resolved; without a root when the template is silent
	Retries     int               // of an asynchronous invocation that failed; 2 when the template is silent
	// DeadLetterQueue is the name of the queue that gets an event with which all of them failed; empty: none does.
	DeadLetterQueue string
}

// Route is an HttpApi event of a function.
type Route struct {
	Method   string // upper case, or "ANY"
	Path     string // as in the template: /a/{b}, /a/{proxy+}
	Function string // logical id
}

// Key is what API Gateway calls the route key, such as "GET /pets/{id}".
func (r Route) Key() string { return r.Method + " " + r.Path }

// Table is an AWS::DynamoDB::Table.
type Table struct {
	Name         string                     // what !Ref gives
	Input        *dynamodb.CreateTableInput // what creates it
	TTLAttribute string                     // empty: no item expires
	Recovery     bool                       // to a point in time; the local server has none
	Exists       bool                       // it is not the stack's to make
}

// Queue is an AWS::SQS::Queue.
type Queue struct{ LogicalID, Name string }

// Values are the local answers to what CloudFormation knows only when it deploys.
type Values struct {
	Region     string            // AWS::Region, such as us-east-1
	AccountID  string            // AWS::AccountId, 12 digits
	Partition  string            // AWS::Partition, such as aws
	StackName  string            // AWS::StackName; also the prefix of every name that the template leaves open
	Parameters map[string]string // by name, over the Default of the template's Parameters
}

// ARN names a resource of a service that has a region and an account.
func (v Values) ARN(service, resource string) string {
	return "arn:" + v.Partition + ":" + service + ":" + v.Region + ":" + v.AccountID + ":" + resource
}

// sections are the parts of a template in which intrinsics may stand.
var sections = []string{"Globals", "Conditions", "Resources", "Outputs"}

// transform is the one transform that is applied here; any other could change what the template means.
const transform = "AWS::Serverless-2016-10-31"

// Load reads a SAM template and resolves it with v. Resources whose condition is false are left out.
//
// What cannot be resolved as CloudFormation would is an error that begins with the path and the line: an intrinsic that
// is not known, wherever it stands; a reference to nothing; a parameter without a value or with a forbidden one.
func Load(path string, v Values) (t *Template, err error) {
	d, err := document.Read(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				panic(r)
			}
			t, err = nil, f.error
		}
	}()
	s := newScope(d, v)
	for _, name := range sections {
		if section := document.Lookup(d.Root, name); section != nil {
			s.check(section)
		}
	}
	return s.template(), nil
}

// failure ends the evaluation of a template, which is recursive and may fail at every step: Load recovers it.
type failure struct{ error }

// fail is to be panicked with: an error at the line of a node.
func (s *scope) fail(at *yaml.Node, format string, args ...any) failure {
	return failure{s.Errorf(at, format, args...)}
}

// must fails unless err is nil.
func must[T any](value T, err error) T {
	if err != nil {
		panic(failure{err})
	}
	return value
}

// template resolves the resources that exist.
func (s *scope) template() *Template {
	global := document.Lookup(s.Root, "Globals", "HttpApi")
	t := &Template{Parameters: make(map[string]string), CORS: s.cors(global)}
	for name, value := range s.parameters {
		t.Parameters[name] = strings.Join(must(s.Texts(value)), ",")
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
				if taken[route.Key()] {
					panic(s.fail(r.key, "%s has a route that is taken: %s", id, route.Key()))
				}
				taken[route.Key()] = true
				t.Routes = append(t.Routes, route)
			}
		case "AWS::Serverless::HttpApi":
			t.CORS = s.cors(mergeGlobals(global, document.Lookup(r.body, "Properties")))
		case "AWS::DynamoDB::Table":
			t.Tables = append(t.Tables, s.table(id, r))
		case "AWS::SQS::Queue":
			t.Queues = append(t.Queues, Queue{id, s.physicalName(r.key, id)})
		case "AWS::SES::ConfigurationSetEventDestination":
			if d, ok := s.eventDestination(r); ok {
				t.EventDestinations = append(t.EventDestinations, d)
			}
		}
	}
	return t
}

// property is a property with its intrinsics resolved, nil if it is absent or AWS::NoValue.
func (s *scope) property(properties *yaml.Node, name string) *yaml.Node {
	if n := document.Lookup(properties, name); n != nil {
		return s.resolve(n)
	}
	return nil
}
