package matrix

import (
	"testing"

	"frontdesk/internal/develop/local/samtemplate"
	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/fixture"
)

// templateValues are those that every parameter of the template needs.
var templateValues = samtemplate.Values{
	Region: "us-east-1", AccountID: "123456789012", Partition: "aws", StackName: "test",
	Defaults: map[string]string{"Purpose": "production"},
}

func loadTemplate(t testing.TB) *samtemplate.Template {
	t.Helper()
	loaded, err := samtemplate.Load("../../../template.yaml", templateValues)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// TestEveryEndpointHasARow: each function of the template and each operation of the contract is in fixture.Requests.
func TestEveryEndpointHasARow(t *testing.T) {
	t.Parallel()
	functions, sent := map[string]bool{}, map[string]bool{}
	for _, r := range fixture.Requests {
		functions[r.Function+"Function"], sent[r.Operation] = true, true
	}
	for _, f := range loadTemplate(t).Functions {
		if !functions[f.LogicalID] {
			t.Errorf("fixture.Requests has no row of %s", f.LogicalID)
		}
		delete(functions, f.LogicalID)
	}
	for name, o := range contracttest.Operations(t) {
		if !sent[name] {
			t.Errorf("fixture.Requests has no row of %s: %s %s", name, o.Method, o.Path)
		}
		delete(sent, name)
	}
	delete(sent, "") // of functions without a route
	for name := range functions {
		t.Errorf("the template has no %s", name)
	}
	for name := range sent {
		t.Errorf("the contract has no operation %s", name)
	}
}
