package api_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/base/api"
)

// TestHeadersAreThoseOfAPIGatewayWhoeverBuiltTheEvent shows that handlers see one form of headers and cookies, also
// from servers such as that of sam local.
func TestHeadersAreThoseOfAPIGatewayWhoeverBuiltTheEvent(t *testing.T) {
	for name, c := range map[string]struct {
		event   string
		headers map[string]string
		cookies []string
	}{
		"API Gateway's stay": {
			`{"headers":{"host":"a","x-many":"1,2"},"cookies":["a=1","b=2"]}`,
			map[string]string{"host": "a", "x-many": "1,2"}, []string{"a=1", "b=2"},
		},
		"names in title case": {
			`{"headers":{"Api-Access-Token":"t","Authorization":"Bearer T","Idempotency-Key":"K-1"}}`,
			map[string]string{"api-access-token": "t", "authorization": "Bearer T", "idempotency-key": "K-1"}, nil,
		},
		"a name in two cases is repeated": {
			`{"headers":{"X-Many":"1","x-many":"2","X-MANY":"3"}}`, map[string]string{"x-many": "3,1,2"}, nil,
		},
		"cookies as a header": {
			`{"headers":{"Cookie":"a=1; b=2;"}}`, map[string]string{}, []string{"a=1", "b=2"},
		},
		"cookies as both": {
			`{"headers":{"cookie":"a=1; b=2"},"cookies":["a=1","b=2"]}`, map[string]string{}, []string{"a=1", "b=2"},
		},
		"none":      {`{}`, nil, nil},
		"null ones": {`{"headers":null,"cookies":null}`, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := api.Function{Handle: func(_ context.Context, r *api.Request) (api.Response, error) {
				if !maps.Equal(r.Headers, c.headers) || !slices.Equal(r.Cookies, c.cookies) {
					t.Errorf("headers %v, cookies %q; want %v, %q", r.Headers, r.Cookies, c.headers, c.cookies)
				}
				return api.Response{Body: struct{}{}}, nil
			}}
			invoke(t, f, c.event)
		})
	}
}

// FuzzHeaders: whatever an event contains, every name is in lower case, and no value is lost.
func FuzzHeaders(f *testing.F) {
	f.Add("Cookie", "a=1;; b", "X-A", "1")
	f.Add("x-a", "", "X-A", "1")
	// U+212A, the Kelvin sign, becomes the letter k in lower case, and so repeats it.
	f.Add("\u212a", "kelvin", "k", "letter")
	f.Fuzz(func(t *testing.T, name1, value1, name2, value2 string) {
		event, err := json.Marshal(map[string]any{"headers": map[string]string{name1: value1, name2: value2}})
		if err != nil {
			t.Fatal(err)
		}
		var decoded struct{ Headers map[string]string }
		if err := json.Unmarshal(event, &decoded); err != nil {
			t.Fatal(err)
		}
		function := api.Function{Handle: func(_ context.Context, r *api.Request) (api.Response, error) {
			for name, value := range decoded.Headers {
				lower := strings.ToLower(name)
				if got := r.Headers[lower]; lower != "cookie" && !strings.Contains(got, value) {
					t.Errorf("%q: %q has no %q", name, got, value)
				}
			}
			for name := range r.Headers {
				if name != strings.ToLower(name) {
					t.Errorf("%q is not in lower case", name)
				}
			}
			return api.Response{Body: struct{}{}}, nil
		}}
		invoke(t, function, string(event))
	})
}
