// Package samtemplatetest makes templates from texts, for tests.
package samtemplatetest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/samtemplate"
)

// Values are those of a stack named desk.
var Values = samtemplate.Values{
	Region: "eu-west-1", AccountID: "123456789012", Partition: "aws", StackName: "desk",
}

// OneTable is a template with one table, which has a partition key and a sort key.
const OneTable = `Resources:
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: PK, AttributeType: S}, {AttributeName: SK, AttributeType: S}]
      KeySchema: [{AttributeName: PK, KeyType: HASH}, {AttributeName: SK, KeyType: RANGE}]
`

// Parse loads source with Values and these parameters.
func Parse(t testing.TB, source string, parameters map[string]string) (*samtemplate.Template, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "template.yaml")
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	values := Values
	values.Parameters = parameters
	return samtemplate.Load(path, values)
}

// MustParse loads a template that has no errors.
func MustParse(t testing.TB, source string) *samtemplate.Template {
	t.Helper()
	loaded, err := Parse(t, source, nil)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// WantErrorHere fails unless err has this message, at the line of source that ends in "# here".
func WantErrorHere(t testing.TB, source string, err error, message string) {
	t.Helper()
	before, _, marked := strings.Cut(source, "# here")
	line := strconv.Itoa(strings.Count(before, "\n") + 1)
	want := "template.yaml:" + line + ": " + message
	if !marked { // then the error is about the whole file
		want = "template.yaml: " + message
	}
	if err == nil || !strings.HasSuffix(err.Error(), string(filepath.Separator)+want) {
		t.Errorf("error %v, want …/%s", err, want)
	}
}

// WithPolicies returns a template with one function that has these Policies.
func WithPolicies(policies string) string {
	return "Resources:\n  F:\n    Type: AWS::Serverless::Function\n    Properties:\n      Policies:\n        " +
		strings.ReplaceAll(strings.TrimSpace(policies), "\n", "\n        ") + "\n"
}
