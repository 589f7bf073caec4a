package docs_test

import (
	"context"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/samtemplate"
	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"

	"github.com/getkin/kin-openapi/openapi3"
)

const root = "../../.."

func contract(t *testing.T) *openapi3.T {
	t.Helper()
	document, err := contracttest.Load()
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// TestContractIsValid with every check that the validator has, including that of its examples.
func TestContractIsValid(t *testing.T) {
	document := contract(t)
	err := document.Validate(context.Background(), openapi3.EnableMultiError(), openapi3.EnableExamplesValidation(),
		openapi3.EnableSchemaDefaultsValidation(), openapi3.EnableSchemaFormatValidation(),
		openapi3.EnableSchemaPatternValidation(), openapi3.ProhibitExtensionsWithRef())
	if err != nil {
		t.Error(err)
	}
	expect.Equal(t, document.OpenAPI, "3.0.3")
	changelog, err := os.ReadFile("../../docs/changelog.md")
	if err != nil {
		t.Fatal(err)
	}
	_, newest, _ := strings.Cut(string(changelog), "\n## ")
	expect.HasPrefix(t, newest, document.Info.Version+", ", "the newest version of the changelog")
}

// TestContractHasTheRoutesOfTheTemplate: each route of template.yaml is in the contract, and no other but the page of
// mails, which a greedy route serves. What HEAD does is one sentence there, and browsers send OPTIONS by themselves.
func TestContractHasTheRoutesOfTheTemplate(t *testing.T) {
	var described []string
	for _, o := range contracttest.Operations(t) {
		described = append(described, o.Method+" "+o.Path)
	}
	i := slices.Index(described, "GET /docs/mails") // of GET /docs/{proxy+}
	described = slices.Delete(described, i, i+1)
	var routed []string
	for _, r := range routes(t) {
		routed = append(routed, r.Method+" "+strings.ReplaceAll(r.Path, "+}", "}")) // OpenAPI knows no greedy variable
	}
	slices.Sort(described)
	slices.Sort(routed)
	if !slices.Equal(described, routed) {
		t.Errorf("described: %q\n in the template: %q", described, routed)
	}
}

// routes returns the routes of template.yaml but for HEAD and OPTIONS.
func routes(t *testing.T) []samtemplate.Route {
	t.Helper()
	return slices.DeleteFunc(allRoutes(t), func(r samtemplate.Route) bool {
		return r.Method == http.MethodHead || r.Method == http.MethodOptions
	})
}

// TestWhatReadsIsReadByHEAD: where GET reads, HEAD has a route to the same function.
func TestWhatReadsIsReadByHEAD(t *testing.T) {
	var get, head []samtemplate.Route
	for _, r := range allRoutes(t) {
		switch {
		case r.Method == http.MethodHead:
			head = append(head, samtemplate.Route{Method: http.MethodGet, Path: r.Path, Function: r.Function})
		case r.Method == http.MethodGet && r.Function != "LoginLinkFunction": // it makes a link
			get = append(get, r)
		}
	}
	expect.Equal(t, head, get, "routes of HEAD")
}

// allRoutes returns the routes of template.yaml, with values that every parameter needs.
func allRoutes(t *testing.T) []samtemplate.Route {
	t.Helper()
	template, err := samtemplate.Load(root+"/template.yaml", samtemplate.Values{
		Region: "us-east-1", AccountID: "123456789012", Partition: "aws", StackName: "test",
		Parameters: map[string]string{"Purpose": "production"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return template.Routes
}

// TestContractLeavesNothingOut: every operation says how it is authenticated and how it fails, every body and every
// schema has an example, and every variable of a path has a description.
func TestContractLeavesNothingOut(t *testing.T) {
	document := contract(t)
	for _, o := range contracttest.Operations(t) {
		name := o.Method + " " + o.Path
		expect.Not(t, o.OperationID, "")
		expect.Not(t, o.Summary, "")
		expect.Equal(t, len(o.Tags), 1)
		expect.Not(t, o.Security, nil)
		want := []string{"200", "429", "500", "503"}
		if o.RequestBody != nil {
			want = append(want, "400", "413")
		}
		if len(*o.Security) > 0 {
			want = append(want, "401")
		}
		for _, status := range want {
			if o.Responses.Value(status) == nil {
				t.Errorf("%s has no %s", name, status)
			}
		}
		for status, r := range o.Responses.Map() {
			if r.Value.Headers["apigw-requestid"] == nil {
				t.Errorf("%s: %s has no request id", name, status)
			}
			checkExamples(t, name+": "+status, r.Value.Content)
		}
		if o.RequestBody != nil {
			checkExamples(t, name+": request", o.RequestBody.Value.Content)
		}
		for part := range strings.SplitSeq(o.Path, "/") {
			name, ok := strings.CutPrefix(part, "{")
			if ok && o.Parameters.GetByInAndName("path", strings.TrimSuffix(name, "}")) == nil {
				t.Errorf("%s %s: {%s is not described", o.Method, o.Path, name)
			}
		}
	}
	for name, s := range document.Components.Schemas {
		if s.Value.Example == nil {
			t.Errorf("schema %s has no example", name)
		}
	}
}

// TestANullableSummaryIsASummary: OpenAPI 3.0 has no other way to say that a field is null or a component, so the
// component stands there twice.
func TestANullableSummaryIsASummary(t *testing.T) {
	schemas := contract(t).Components.Schemas
	nullable, plain := *schemas["NullableCategorySummary"].Value, *schemas["CategorySummary"].Value
	expect.Equal(t, nullable.Nullable, true)
	nullable.Nullable, nullable.Description = false, plain.Description
	expect.Equal(t, nullable, plain)
}

// checkExamples checks that each content type of a body has an example.
func checkExamples(t *testing.T, what string, body openapi3.Content) {
	t.Helper()
	for kind, media := range body {
		if media.Example == nil && len(media.Examples) == 0 {
			t.Errorf("%s: %s has no example", what, kind)
		}
	}
}

// TestEveryErrorHasACode in the types of a generated client. So a client reads the code of any error without asking
// first which of several types the error has.
func TestEveryErrorHasACode(t *testing.T) {
	for _, o := range contracttest.Operations(t) {
		for status, r := range o.Responses.Map() {
			media := r.Value.Content["application/json"]
			if status < "400" || media == nil {
				continue
			}
			types := append(media.Schema.Value.OneOf, media.Schema.Value.AnyOf...)
			if len(types) == 0 {
				types = openapi3.SchemaRefs{media.Schema}
			}
			for _, errorType := range types {
				if errorType.Value.Properties["code"] == nil {
					t.Errorf("%s %s: %s: %s has no code", o.Method, o.Path, status, errorType.Ref)
				}
			}
		}
	}
}

// TestNamesAreThoseOfGenerators: an operation is named after a verb and its object. No schema has the name of a
// built-in type of a platform, which a generated type would hide.
func TestNamesAreThoseOfGenerators(t *testing.T) {
	document := contract(t)
	operation := regexp.MustCompile(`^(get|list|create|update|delete|send|reorder|sign)[A-Z][A-Za-z0-9]*$`)
	for _, o := range contracttest.Operations(t) {
		if !operation.MatchString(o.OperationID) {
			t.Errorf("%s %s is called %s", o.Method, o.Path, o.OperationID)
		}
	}
	for _, taken := range strings.Fields(`Array Blob Boolean Client Comment Context Date Document Element Error Event
		Exception File FormData Function Headers History Image List Location Map Node Notification Number Object Option
		Partial Promise Record Request Response Result Set String Symbol Text Type URL Window`) {
		if document.Components.Schemas[taken] != nil {
			t.Errorf("a schema is called %s", taken)
		}
	}
}

// TestNoOtherFunctionHoldsTheDocs: only the function docs links the contract, the page, and the packages that
// they need.
func TestNoOtherFunctionHoldsTheDocs(t *testing.T) {
	holders := map[string]string{
		"frontdesk/internal/service/docs":        "docs",
		"github.com/swaggest/swgui/v5/static":    "docs",
		"frontdesk/internal/service/loginpage":   "login-page",
		"github.com/getkin/kin-openapi/openapi3": "none",
	}
	const folder = "frontdesk/functions/"
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, folder+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		function, dependencies, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), folder), " ")
		for dependency := range strings.SplitSeq(dependencies, " ") {
			if holder, ok := holders[dependency]; ok {
				seen[holder] = true
				if holder != function {
					t.Errorf("%s holds %s", function, dependency)
				}
			}
		}
	}
	if got := slices.Sorted(maps.Keys(seen)); !slices.Equal(got, []string{"docs", "login-page"}) {
		t.Errorf("seen %q", got)
	}
}
