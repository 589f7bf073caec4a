package matrix

import (
	"testing"

	"frontdesk/internal/develop/local/template"
	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/fixture"
)

// templateValues are those that every parameter of the template needs.
var templateValues = template.Values{
	Region: "us-east-1", AccountID: "123456789012", Partition: "aws", StackName: "test",
	Defaults: map[string]string{"Purpose": "production"},
}

func loadTemplate(t *testing.T) *template.Template {
	t.Helper()
	loaded, err := template.Load("../../../template.yaml", templateValues)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// TestEveryEndpointHasARow: each function of the template and each operation of the contract is in fixture.Requests.
func TestEveryEndpointHasARow(t *testing.T) {
	t.Parallel()
	functions, operations := map[string]bool{}, map[string]bool{}
	for _, r := range fixture.Requests {
		functions[r.Function+"Function"], operations[r.Operation] = true, true
	}
	for _, f := range loadTemplate(t).Functions {
		if !functions[f.LogicalID] {
			t.Errorf("fixture.Requests has no row of %s", f.LogicalID)
		}
		delete(functions, f.LogicalID)
	}
	contract, err := contracttest.Load()
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range contract.Paths.Map() {
		for method, o := range item.Operations() {
			if !operations[o.OperationID] {
				t.Errorf("fixture.Requests has no row of %s: %s %s", o.OperationID, method, path)
			}
			delete(operations, o.OperationID)
		}
	}
	delete(operations, "") // of functions without a route
	for name := range functions {
		t.Errorf("the template has no %s", name)
	}
	for name := range operations {
		t.Errorf("the contract has no operation %s", name)
	}
}
