package api_test

import (
	"testing"

	"frontdesk/internal/base/api"

	"github.com/aws/aws-lambda-go/events"
)

// TestTheFirstHeaderWithATokenCounts shows the order of the headers that may carry a token.
func TestTheFirstHeaderWithATokenCounts(t *testing.T) {
	for name, c := range map[string]struct {
		headers map[string]string
		want    string
	}{
		"api_access_token":             {map[string]string{"api_access_token": "t"}, "t"},
		"api-access-token":             {map[string]string{"api-access-token": "t"}, "t"},
		"a bearer token":               {map[string]string{"authorization": "Bearer t"}, "t"},
		"a bearer token in lower case": {map[string]string{"authorization": "bearer  t"}, "t"},
		"the first of all": {
			map[string]string{"api_access_token": "a", "api-access-token": "b", "authorization": "Bearer c"}, "a",
		},
		"the second before the bearer": {map[string]string{"api-access-token": "b", "authorization": "Bearer c"}, "b"},
		"an empty one counts as none":  {map[string]string{"api_access_token": "", "authorization": "Bearer c"}, "c"},
		"no other scheme":              {map[string]string{"authorization": "Basic dDo="}, ""},
		"no token without scheme":      {map[string]string{"authorization": "t"}, ""},
		"none":                         {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := &api.Request{APIGatewayV2HTTPRequest: events.APIGatewayV2HTTPRequest{Headers: c.headers}}
			if got := r.Token(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
