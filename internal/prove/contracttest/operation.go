package contracttest

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// Operation is an operation of the contract, with where it is.
type Operation struct {
	Method, Path string // the path has variables in braces
	*openapi3.Operation
}

// Operations returns the operations of the contract, by their operationId.
func Operations(t testing.TB) map[string]Operation {
	t.Helper()
	all, err := operations()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var operations = sync.OnceValues(func() (map[string]Operation, error) {
	c, err := load()
	if err != nil {
		return nil, err
	}
	all := map[string]Operation{}
	for path, item := range c.Paths.Map() {
		for method, o := range item.Operations() {
			if earlier, ok := all[o.OperationID]; ok {
				return nil, fmt.Errorf("%s %s and %s %s are both called %q",
					earlier.Method, earlier.Path, method, path, o.OperationID)
			}
			all[o.OperationID] = Operation{method, path, o}
		}
	}
	return all, nil
})

// Target returns the method and the path of an operation, with values for the variables of its path, in their order.
// It escapes the values.
func Target(operationID string, values ...string) (method, path string, err error) {
	all, err := operations()
	if err != nil {
		return "", "", err
	}
	o, ok := all[operationID]
	if !ok {
		return "", "", fmt.Errorf("the contract has no operation %q", operationID)
	}
	path, err = o.fill(values)
	if err != nil {
		return "", "", err
	}
	return o.Method, path, nil
}

// variables match those of a path.
var variables = regexp.MustCompile(`\{[^}]+\}`)

// fill returns the operation's path with values for its variables.
func (o Operation) fill(values []string) (string, error) {
	path, names := o.Path, variables.FindAllString(o.Path, -1)
	if len(values) != len(names) {
		return "", fmt.Errorf("%s: %s has %d variables, given are %d values: %q",
			o.OperationID, o.Path, len(names), len(values), values)
	}
	for i, name := range names {
		if values[i] == "" {
			return "", fmt.Errorf("%s: the value of %s is empty", o.OperationID, name)
		}
		value := url.PathEscape(values[i])
		if name == rest {
			value = strings.ReplaceAll(value, "%2F", "/")
		}
		path = strings.Replace(path, name, value, 1)
	}
	return path, nil
}
