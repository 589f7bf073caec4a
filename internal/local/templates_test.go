package local_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/local"
)

var templateValues = local.Values{
	Region:    "eu-west-1",
	AccountID: "123456789012",
	Partition: "aws",
	StackName: "desk",
}

// parseTemplate loads source with templateValues and the parameters.
func parseTemplate(t *testing.T, source string, parameters map[string]string) (*local.Template, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "template.yaml")
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	values := templateValues
	values.Parameters = parameters
	return local.LoadTemplate(path, values)
}

// mustParseTemplate loads a template that has no mistake.
func mustParseTemplate(t *testing.T, source string) *local.Template {
	t.Helper()
	template, err := parseTemplate(t, source, nil)
	if err != nil {
		t.Fatal(err)
	}
	return template
}

// wantErrorHere fails unless err has the message at the line of source that ends in "# here".
func wantErrorHere(t *testing.T, source string, err error, message string) {
	t.Helper()
	before, _, marked := strings.Cut(source, "# here")
	line := strconv.Itoa(strings.Count(before, "\n") + 1)
	want := "template.yaml:" + line + ": " + message
	if !marked { // the error is about the whole file
		want = "template.yaml: " + message
	}
	if err == nil || !strings.HasSuffix(err.Error(), string(filepath.Separator)+want) {
		t.Errorf("error %v, want …/%s", err, want)
	}
}

// withPolicies is a template with one function that has these Policies.
func withPolicies(policies string) string {
	return "Resources:\n  F:\n    Type: AWS::Serverless::Function\n    Properties:\n      Policies:\n        " +
		strings.ReplaceAll(strings.TrimSpace(policies), "\n", "\n        ") + "\n"
}
