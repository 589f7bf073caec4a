package contracttest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"frontdesk/internal/service/docs"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// contract is the document, made stricter: an answer may have only the fields that the document names.
type contract struct{ *openapi3.T }

var load = sync.OnceValues(func() (contract, error) {
	document, err := Load()
	if err != nil {
		return contract{}, err
	}
	for _, item := range document.Paths.Map() {
		for _, operation := range item.Operations() {
			for _, response := range operation.Responses.Map() {
				for _, media := range response.Value.Content {
					if err := closeObjects(media.Schema); err != nil {
						return contract{}, err
					}
				}
			}
		}
	}
	return contract{document}, nil
})

// Load reads the contract as it is.
func Load() (*openapi3.T, error) {
	document, err := openapi3.NewLoader().LoadFromData(docs.Contract)
	if err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	return document, nil
}

// closeObjects forbids unknown fields in every object of a schema that names any. An object without named fields,
// such as custom_attributes, stays open.
func closeObjects(schema *openapi3.SchemaRef) error {
	return schema.WalkSubtree(func(_ string, s *openapi3.SchemaRef) error {
		if s.Value.Type.Is("object") && len(s.Value.Properties) > 0 {
			s.Value.AdditionalProperties = openapi3.BoolSchema{Has: new(bool)}
		}
		return nil
	})
}

// exchange is a request and its answer, with their bodies.
type exchange struct {
	request  *http.Request
	sent     []byte
	response *http.Response
	got      []byte
	careless bool // the request is not one of the contract's
}

// check returns what is wrong with an exchange, nil for nothing.
func check(e exchange) error {
	c, err := load()
	if err != nil {
		return err
	}
	return c.check(e)
}

// check compares an exchange with its operation. It checks the request only if it succeeded: a client may send
// anything and be refused.
func (c contract) check(e exchange) error {
	// API Gateway itself answers for unknown paths, so exactly that answer is right for them.
	route, parameters, found := c.find(e.request)
	if found && e.request.Method == http.MethodHead {
		return checkHead(route.Operation, e.response)
	}
	if !found {
		if e.response.StatusCode != http.StatusNotFound || string(e.got) != `{"message":"Not Found"}` {
			return errors.New("the contract has no such path and method")
		}
		return nil
	}
	answer, notJSON := parse(e.got)
	fault := c.checkAnswer(route.Operation, e.response, answer, notJSON)
	if e.careless || !succeeded(e.response.StatusCode, answer) {
		return fault
	}
	request := withCanonicalHeader(e.request)
	return errors.Join(fault, checkBody(route.Operation, request, e.sent, answer),
		checkParameters(route, request, parameters), checkCredential(route, request))
}

// checkHead compares an answer to HEAD with what the operation of GET says of its status and its headers.
func checkHead(o *openapi3.Operation, r *http.Response) error {
	declared, err := statusOf(o, r.StatusCode)
	if err != nil {
		return err
	}
	return checkHeaders(declared, r)
}

// statusOf returns what an operation says of the answers of a status.
func statusOf(o *openapi3.Operation, status int) (*openapi3.ResponseRef, error) {
	if declared := cmp.Or(o.Responses.Status(status), o.Responses.Default()); declared != nil {
		return declared, nil
	}
	return nil, fmt.Errorf("status is not supported: %d", status)
}

// checkHeaders compares the headers of an answer with what the contract says of them.
func checkHeaders(declared *openapi3.ResponseRef, r *http.Response) error {
	var faults []error
	for name, header := range declared.Value.Headers {
		values, given := r.Header[http.CanonicalHeaderKey(name)]
		switch {
		case given:
			schema := header.Value.Schema
			what := fmt.Sprintf("header %q doesn't match", name)
			faults = append(faults, checkValue(what, schema, decode(values[0], schema)))
		case header.Value.Required:
			faults = append(faults, fmt.Errorf("header %q missing", name))
		}
	}
	return errors.Join(faults...)
}

// checkAnswer compares an answer with what the operation says of its status. The body is the answer's decoded JSON.
func (c contract) checkAnswer(o *openapi3.Operation, r *http.Response, body any, notJSON error) error {
	declared, err := statusOf(o, r.StatusCode)
	if err != nil {
		return err
	}
	faults := []error{checkHeaders(declared, r)}
	if len(declared.Value.Content) == 0 {
		return errors.Join(faults...)
	}
	contentType := r.Header.Get("Content-Type")
	media := declared.Value.Content.Get(contentType)
	switch {
	case media == nil:
		faults = append(faults, fmt.Errorf("content-type %q is not supported", contentType))
	// Pages have no schema.
	case !strings.HasPrefix(contentType, "application/json"):
	case notJSON != nil:
		faults = append(faults, fmt.Errorf("response body: %w", notJSON))
	default:
		faults = append(faults, checkValue("response body", media.Schema, body), c.checkCode(r.StatusCode, body))
	}
	return errors.Join(faults...)
}

// statuses are the statuses of codes that have only one. A mail that was understood gets 200, whatever its code is.
var statuses = map[string]int{
	"malformed": 400, "unauthorized": 401, "forbidden": 403, "not_found": 404, "conflict": 409,
	"invalid": 422, "slug_taken": 422, "answer_too_large": 422, "email_taken": 422, "idempotency_key_reused": 422,
	"quota_exceeded": 429, "internal": 500, "unavailable": 503,
}

// checkCode compares the code of an answer with its status. Only API Gateway's own messages have no code, and a fault
// of ours needs a request id.
func (c contract) checkCode(status int, body any) error {
	code, message := field(body, "code"), field(body, "message")
	want, known := statuses[code]
	gateways := c.Components.Schemas["GatewayError"].Value.Properties["message"].Value.Enum
	switch {
	case known && status != want && status != http.StatusOK:
		return fmt.Errorf("status %d with the code %s", status, code)
	case code == "" && message != "" && !slices.Contains(gateways, any(message)):
		return errors.New("a message without a code, that is not API Gateway's")
	case code == "internal" && field(body, "request_id") == "":
		return errors.New("a fault without a request id")
	}
	return nil
}

// parse decodes a JSON text, numbers as they are written: custom attributes may have some that no float64 holds.
func parse(text []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("something follows the JSON text")
	}
	return value, nil
}

// rules are how a value is compared with its schema. An endpoint takes base64 with line breaks, or as a data URL, too.
var rules = []openapi3.SchemaValidationOption{
	openapi3.MultiErrors(),
	openapi3.DisableSchemaErrorDetails(),
	openapi3.WithStringFormatValidator("byte", openapi3.NewCallbackValidator(func(string) error { return nil })),
}

// checkValue returns where a value breaks its schema, and how.
func checkValue(what string, schema *openapi3.SchemaRef, value any) error {
	if err := schema.Value.VisitJSON(value, rules...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// field returns a text of an object, "" if there is none.
func field(value any, name string) string {
	object, _ := value.(map[string]any)
	text, _ := object[name].(string)
	return text
}

// checkBody compares the body of a request with what the operation says, and with the warnings of the answer.
func checkBody(o *openapi3.Operation, r *http.Request, body []byte, answer any) error {
	if o.RequestBody == nil || len(body) == 0 && !o.RequestBody.Value.Required {
		return nil
	}
	content := o.RequestBody.Value.Content
	if media := content.Get("application/json"); media != nil {
		value, err := parse(body)
		if err != nil {
			return fmt.Errorf("request body: %w", err)
		}
		return errors.Join(checkValue("request body", media.Schema, value), checkFields(o, media, value, answer))
	}
	media := content.Get(r.Header.Get("Content-Type"))
	if media == nil {
		return fmt.Errorf("a request body of type %q is not supported", r.Header.Get("Content-Type"))
	}
	form := http.Request{Method: r.Method, Header: r.Header, Body: io.NopCloser(bytes.NewReader(body))}
	form.PostFormValue("") // which parses it
	fields := map[string]any{}
	for name := range form.PostForm {
		fields[name] = form.PostForm.Get(name)
	}
	return checkValue("request body", media.Schema, fields)
}

// checkParameters compares the variables of the path, the query and the headers of a request with what the operation
// says. Each is one text or number.
func checkParameters(route *routers.Route, r *http.Request, variables map[string]string) error {
	query := r.URL.Query()
	var faults []error
	for _, ref := range slices.Concat(route.PathItem.Parameters, route.Operation.Parameters) {
		p := ref.Value
		var values []string
		switch p.In {
		case openapi3.ParameterInPath:
			values = []string{variables[p.Name]}
		case openapi3.ParameterInQuery:
			values = query[p.Name]
		case openapi3.ParameterInHeader:
			values = r.Header.Values(p.Name)
		}
		what := fmt.Sprintf("parameter %q in %s", p.Name, p.In)
		switch {
		case len(values) == 0 && p.Required:
			faults = append(faults, fmt.Errorf("%s is missing", what))
		case len(values) == 0 || values[0] == "" && p.AllowEmptyValue:
		default:
			faults = append(faults, checkValue(what, p.Schema, decode(values[0], p.Schema)))
		}
	}
	return errors.Join(faults...)
}

// decode returns the value of a header or a parameter: a number if the schema wants one.
func decode(value string, schema *openapi3.SchemaRef) any {
	if _, err := strconv.Atoi(value); err == nil && schema.Value.Type.Is("integer") {
		return json.Number(value)
	}
	return value
}

// find returns the operation of a request, and the variables of its path. That of HEAD is that of GET.
func (c contract) find(r *http.Request) (*routers.Route, map[string]string, bool) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, path := range c.Paths.InMatchingOrder() {
		item := c.Paths.Value(path)
		operation := item.GetOperation(method)
		variables, ok := match(strings.Split(path, "/"), strings.Split(r.URL.EscapedPath(), "/"))
		if operation != nil && ok {
			return &routers.Route{
				Spec: c.T, Path: path, PathItem: item, Method: method, Operation: operation,
			}, variables, true
		}
	}
	return nil, nil, false
}

// rest stands for the rest of a path, {proxy+} in API Gateway. OpenAPI has no such variable.
const rest = "{proxy}"

// match compares a path with a pattern, segment by segment, and returns the values of the pattern's variables. An
// empty segment is no value of a variable.
func match(pattern, segments []string) (map[string]string, bool) {
	if last := len(pattern) - 1; pattern[last] == rest && len(segments) > last {
		segments = append(segments[:last:last], strings.Join(segments[last:], "/"))
	}
	if len(pattern) != len(segments) {
		return nil, false
	}
	variables := map[string]string{}
	for i, p := range pattern {
		name, variable := strings.CutPrefix(p, "{")
		value, err := url.PathUnescape(segments[i])
		switch {
		case err != nil || variable && value == "" || !variable && value != p:
			return nil, false
		case variable:
			variables[strings.TrimSuffix(name, "}")] = value
		}
	}
	return variables, true
}

// withCanonicalHeader returns the request with header names as Go spells them. The tests spell them as on the wire.
func withCanonicalHeader(r *http.Request) *http.Request {
	header := http.Header{}
	for name, values := range r.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	canonical := *r
	canonical.Header = header
	return &canonical
}

// succeeded reports whether a request got what it asked for. A mail that was understood, but not sent, did not succeed.
func succeeded(status int, answer any) bool {
	return status < 300 && field(answer, "status") != "error"
}

// checkCredential checks that a request has a credential if the operation wants one.
func checkCredential(route *routers.Route, r *http.Request) error {
	security := &route.Spec.Security
	if override := route.Operation.Security; override != nil {
		security = override
	}
	return openapi3filter.ValidateSecurityRequirements(context.Background(), &openapi3filter.RequestValidationInput{
		Request: r, Route: route, Options: &openapi3filter.Options{AuthenticationFunc: authenticate},
	}, *security)
}

// authenticate checks only that a credential is there. Whether it is good is for the API to decide.
func authenticate(_ context.Context, in *openapi3filter.AuthenticationInput) error {
	header := in.RequestValidationInput.Request.Header
	switch scheme := in.SecurityScheme; {
	case scheme.Type == "apiKey" && header.Get(scheme.Name) != "":
		return nil
	case scheme.Type == "http" && strings.HasPrefix(strings.ToLower(header.Get("Authorization")), "bearer "):
		return nil
	}
	return in.NewError(errors.New("the request has no such credential"))
}
