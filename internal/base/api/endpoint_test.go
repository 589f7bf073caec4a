package api_test

import (
	"context"
	"errors"
	"testing"

	"frontdesk/internal/base/api"
)

// TestEndpointTellsWhatIsWrongInOneOrder shows the order of errors: who may not call, then what is malformed, then what
// is missing. Authenticate must not see the input of a malformed request.
func TestEndpointTellsWhatIsWrongInOneOrder(t *testing.T) {
	t.Parallel()
	stranger := api.Errorf(api.Unauthorized, "a stranger")
	malformed := api.Errorf(api.Malformed, "malformed")
	missing := api.Errorf(api.NotFound, "missing")
	for name, c := range map[string]struct {
		stranger, malformed, missing error
		want                         error
	}{
		"nothing is wrong":                  {},
		"a stranger":                        {stranger: stranger, want: stranger},
		"a malformed request":               {malformed: malformed, want: malformed},
		"something that is missing":         {missing: missing, want: missing},
		"a stranger's malformed request":    {stranger: stranger, malformed: malformed, want: stranger},
		"a stranger, and it is missing":     {stranger: stranger, missing: missing, want: stranger},
		"malformed, and it is missing":      {malformed: malformed, missing: missing, want: malformed},
		"a stranger, malformed and missing": {stranger, malformed, missing, stranger},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var authenticatedBy, answered string
			endpoint := api.Endpoint[string, string]{
				Decode: func(r *api.Request) (string, error) { return r.Body, c.malformed },
				Authenticate: func(_ context.Context, _ *api.Request, input string) (string, error) {
					authenticatedBy = input
					return "Ada", c.stranger
				},
				Answer: func(_ context.Context, _ *api.Request, caller, input string) (api.Response, error) {
					answered = caller + " asks for " + input
					return api.Response{}, c.missing
				},
			}
			r := &api.Request{}
			r.Body = "a category"
			_, err := endpoint.Handle(t.Context(), r)
			if !errors.Is(err, c.want) {
				t.Errorf("the error is %v, want %v", err, c.want)
			}
			if c.malformed != nil && authenticatedBy != "" {
				t.Errorf("%q of a malformed request was read beside the authentication", authenticatedBy)
			}
			if wanted := c.stranger == nil && c.malformed == nil; (answered != "") != wanted {
				t.Errorf("the endpoint was asked %q, want that it was asked: %v", answered, wanted)
			}
			if answered != "" && answered != "Ada asks for a category" {
				t.Errorf("the endpoint was asked %q", answered)
			}
		})
	}
}

// TestAnEndpointWithoutDecode shows that Decode may be nil: then the path says everything.
func TestAnEndpointWithoutDecode(t *testing.T) {
	t.Parallel()
	endpoint := api.Endpoint[struct{}, string]{
		Authenticate: func(context.Context, *api.Request, struct{}) (string, error) { return "Ada", nil },
		Answer: func(_ context.Context, _ *api.Request, caller string, _ struct{}) (api.Response, error) {
			return api.Response{Body: caller}, nil
		},
	}
	response, err := endpoint.Handle(t.Context(), &api.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if response.Body != "Ada" {
		t.Errorf("the answer is %v, want what Answer gave for the caller", response.Body)
	}
}
