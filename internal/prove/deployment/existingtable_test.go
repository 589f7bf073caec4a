package deployment_test

import (
	"strings"
	"testing"

	"frontdesk/internal/develop/local/document"
	"frontdesk/internal/develop/local/samtemplate"

	"gopkg.in/yaml.v3"
)

// withTable reads template.yaml with a value of ExistingTableName.
func withTable(t *testing.T, name string) (*samtemplate.Template, error) {
	return withParameters(t, map[string]string{"Purpose": "production", "ExistingTableName": name})
}

// TestAStackUsesTheTableThatItIsGiven: functions and their roles name this table and no other, and the stack
// makes none.
func TestAStackUsesTheTableThatItIsGiven(t *testing.T) {
	for name, c := range map[string]struct{ given, table, arn string }{
		"a table that exists": {"desk-restored", "desk-restored",
			"arn:aws:dynamodb:eu-west-1:123456789012:table/desk-restored"},
		"the stack's own": {"", "desk-Table", "arn:aws:dynamodb:eu-west-1:123456789012:table/desk-Table"},
	} {
		t.Run(name, func(t *testing.T) {
			loaded, err := withTable(t, c.given)
			if err != nil {
				t.Fatal(err)
			}
			if makes := len(loaded.Tables) > 0; makes != (c.given == "") {
				t.Errorf("the stack makes a table: %t", makes)
			}
			statements := 0
			for _, f := range loaded.Functions {
				if got, set := f.Environment["TABLE_NAME"]; set && got != c.table {
					t.Errorf("%s has the table %s, want %s", f.LogicalID, got, c.table)
				}
				for _, reached := range tablesReached(t, f.Policies.Root) {
					statements++
					if reached != c.arn {
						t.Errorf("%s may reach %s, want %s alone", f.LogicalID, reached, c.arn)
					}
				}
			}
			if statements == 0 {
				t.Error("no function reaches a table: this proves nothing")
			}
		})
	}
}

// tablesReached returns the resources of a function's statements about a table. A function may have no policies.
func tablesReached(t *testing.T, policies *yaml.Node) (resources []string) {
	if policies == nil {
		return nil
	}
	for _, s := range document.Listed(document.Lookup(policies, "Statement")) {
		actions, err := yaml.Marshal(document.Lookup(s, "Action"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(actions), "dynamodb:") {
			continue
		}
		var resource string
		if err := document.Lookup(s, "Resource").Decode(&resource); err != nil {
			t.Fatal(err)
		}
		resources = append(resources, resource)
	}
	return resources
}

// TestAnExistingTableIsNamedWithoutWildcards: with a wildcard in the name, a role would reach other tables.
func TestAnExistingTableIsNamedWithoutWildcards(t *testing.T) {
	for _, name := range []string{"desk-*", "des?", "*", "a/b", "ab", "a b c", "${x}", strings.Repeat("a", 256)} {
		if _, err := withTable(t, name); err == nil || !strings.Contains(err.Error(), "ExistingTableName must match") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
