package docs_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"frontdesk/internal/docs"
	"frontdesk/internal/expect"

	"github.com/getkin/kin-openapi/openapi3"
)

// earlier returns the contract in OpenAPI 3.0, parsed and as text.
func earlier(t *testing.T) (*openapi3.T, string) {
	t.Helper()
	text, err := docs.OpenAPI30()
	if err != nil {
		t.Fatal(err)
	}
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	return document, string(text)
}

// TestEarlierContractIsValid: it follows the rules of 3.0, uses no keyword of 3.1, and has every operation.
func TestEarlierContractIsValid(t *testing.T) {
	document, text := earlier(t)
	err := document.Validate(context.Background(), openapi3.EnableMultiError(), openapi3.EnableExamplesValidation(),
		openapi3.EnableSchemaDefaultsValidation(), openapi3.EnableSchemaFormatValidation(),
		openapi3.EnableSchemaPatternValidation())
	if err != nil {
		t.Error(err)
	}
	if document.OpenAPI != "3.0.3" {
		t.Errorf("it is OpenAPI %s", document.OpenAPI)
	}
	for _, word := range []string{
		`"type":[`, `"type":"null"`, `"const":`, `"propertyNames":`, `"contentEncoding":`, `"examples":[`,
		`"if":`, `"then":`, `"prefixItems":`, `"contains":`, `"patternProperties":`, `"$defs":`, `"identifier":`,
	} {
		if at := strings.Index(text, word); at >= 0 {
			t.Errorf("it has %s: …%.200s", word, text[max(0, at-100):])
		}
	}
	for path, item := range contract(t).Paths.Map() {
		for method, o := range item.Operations() {
			same := document.Paths.Value(path)
			if same == nil {
				t.Fatal("there is no same")
			}
			if same.GetOperation(method) == nil {
				t.Fatal("there is no same.GetOperation(method)")
			}
			expect.Equal(t, same.GetOperation(method).OperationID, o.OperationID)
		}
	}
}

// TestEarlierSchemasAllowTheSame: every rule that 3.0 can express means the same in both versions.
func TestEarlierSchemasAllowTheSame(t *testing.T) {
	document, _ := earlier(t)
	const user = `"name":"Ada","email":"a@b.example","created_at":"2026-03-02T09:30:00Z",` +
		`"updated_at":"2026-03-02T09:30:00Z","custom_attributes":{}`
	mail := func(fields string) string { return `{"key":"k","recipients":[{"email":"a@b.example"}]` + fields + `}` }
	for name, c := range map[string]struct {
		schema, value string
		allowed       bool
	}{
		"a mail":                        {"Mail", mail(""), true},
		"null for a text":               {"Mail", mail(`,"subject":null`), true},
		"null for a list":               {"Mail", mail(`,"ccs":null,"headers":null`), true},
		"null for a component":          {"Mail", mail(`,"sender":null`), true},
		"the component":                 {"Mail", mail(`,"sender":{"email":"a@b.example"}`), true},
		"another than the component":    {"Mail", mail(`,"sender":{}`), false},
		"null for what is required":     {"Mail", `{"key":null,"recipients":[{"email":"a@b.example"}]}`, false},
		"null for the member of a list": {"Mail", mail(`,"ccs":[null]`), false},
		"a constant":                    {"MailSent", `{"status":"success","id":"x"}`, true},
		"another than the constant":     {"MailSent", `{"status":"error","id":"x"}`, false},
		"one of two":                    {"MailAnswer", `{"status":"success","id":"x"}`, true},
		"none of two":                   {"MailAnswer", `{"status":"success","code":"invalid","error":"x"}`, false},
		"the largest id":                {"User", `{"id":9007199254740991,` + user + `}`, true},
		"an id that is too large":       {"User", `{"id":9007199254740992,` + user + `}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			var value any
			if err := json.Unmarshal([]byte(c.value), &value); err != nil {
				t.Fatal(err)
			}
			err := document.Components.Schemas[c.schema].Value.VisitJSON(value)
			if (err == nil) != c.allowed {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
