// Package template reads SAM templates.
package template

import (
	"time"

	"frontdesk/internal/local/document"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"gopkg.in/yaml.v3"
)

// Template is what the local stack needs of a SAM template: functions, their routes and policies, and tables,
// with every intrinsic resolved. All three are in the order of the template.
type Template struct {
	Functions []Function
	Routes    []Route
	Tables    []Table
}

// Function is an AWS::Serverless::Function, Globals merged.
type Function struct {
	LogicalID   string
	Timeout     time.Duration     // whole seconds; 3 s when the template is silent
	MemoryMB    int               // 128 when the template is silent
	Environment map[string]string // Environment.Variables
	Policies    document.Fragment // of its role, resolved; without a root when the template is silent
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
}

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
// What cannot be resolved as CloudFormation would is an error that begins with the path and the line: an intrinsic
// that is not known, wherever it stands; a reference to nothing; a parameter without a value or with one that it does
// not allow.
func Load(path string, v Values) (*Template, error) {
	d, err := document.Read(path)
	if err != nil {
		return nil, err
	}
	if err := checkTransform(d); err != nil {
		return nil, err
	}
	s, err := newScope(d, v)
	if err != nil {
		return nil, err
	}
	for _, name := range sections {
		if section := document.Lookup(d.Root, name); section != nil {
			if err := s.check(section); err != nil {
				return nil, err
			}
		}
	}
	return s.template()
}

func checkTransform(d document.Fragment) error {
	n := document.Lookup(d.Root, "Transform")
	if n == nil {
		return nil
	}
	names, err := d.Texts(n)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name != transform {
			return d.Errorf(n, "the transform %s is not known", name)
		}
	}
	return nil
}

// template resolves the resources that exist.
func (s *scope) template() (*Template, error) {
	t := new(Template)
	taken := make(map[Route]bool)
	for _, id := range s.order {
		r := s.resources[id]
		if exists, err := s.exists(r); err != nil {
			return nil, err
		} else if !exists {
			continue
		}
		switch r.kind {
		case "AWS::Serverless::Function":
			f, err := s.loadFunction(id, r)
			if err != nil {
				return nil, err
			}
			t.Functions = append(t.Functions, f.Function)
			for _, route := range f.routes {
				place := Route{Method: route.Method, Path: route.Path}
				if taken[place] {
					return nil, s.Errorf(r.key, "%s has a route that is taken: %s %s", id, route.Method, route.Path)
				}
				taken[place] = true
				t.Routes = append(t.Routes, route)
			}
		case "AWS::DynamoDB::Table":
			table, err := s.loadTable(id, r)
			if err != nil {
				return nil, err
			}
			t.Tables = append(t.Tables, table)
		}
	}
	return t, nil
}

// property is a property with its intrinsics resolved, nil if it is absent or AWS::NoValue.
func (s *scope) property(properties *yaml.Node, name string) (*yaml.Node, error) {
	n := document.Lookup(properties, name)
	if n == nil {
		return nil, nil
	}
	return s.resolve(n)
}
