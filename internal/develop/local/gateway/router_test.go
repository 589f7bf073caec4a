package gateway

import (
	"maps"
	"testing"

	"frontdesk/internal/develop/local/samtemplate"
)

// TestRouterTakesTheMostSpecificRoute shows the order of routes with the example of the documentation, and how escaped
// slashes are treated.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html
func TestRouterTakesTheMostSpecificRoute(t *testing.T) {
	routes := NewRouter([]samtemplate.Route{ // the last four are the example of "Create routes for HTTP APIs"
		{Method: "ANY", Path: "/pets/dog/{id}"},
		{Method: "POST", Path: "/pets/dog/1"},
		{Method: "GET", Path: "/a/{first}/b/{second}"},
		{Method: "GET", Path: "/"},
		{Method: "ANY", Path: "/{proxy+}"},
		{Method: "GET", Path: "/pets/{proxy+}"},
		{Method: "GET", Path: "/pets/dog/{id}"},
		{Method: "GET", Path: "/pets/dog/1"},
	})
	tests := []struct {
		name, method, path string
		route              string
		variables          map[string]string
	}{
		{"a literal before a variable", "GET", "/pets/dog/1", "GET /pets/dog/1", nil},
		{"a variable before the rest", "GET", "/pets/dog/2", "GET /pets/dog/{id}", map[string]string{"id": "2"}},
		{"the rest of a longer path first",
			"GET", "/pets/cat/1", "GET /pets/{proxy+}", map[string]string{"proxy": "cat/1"}},
		{"ANY takes a method that has no route",
			"POST", "/test/5", "ANY /{proxy+}", map[string]string{"proxy": "test/5"}},
		{"the method itself before ANY", "PUT", "/pets/dog/1", "ANY /pets/dog/{id}", map[string]string{"id": "1"}},
		{"a route of another method is none", "POST", "/pets/dog/1", "POST /pets/dog/1", nil},
		{"the root", "GET", "/", "GET /", nil},
		// A greedy variable is never empty, so /{proxy+} does not take /.
		{"the root is not the rest", "POST", "/", "", nil},
		{"several variables",
			"GET", "/a/1/b/2", "GET /a/{first}/b/{second}", map[string]string{"first": "1", "second": "2"}},
		// %2520 is an encoded %20. Decoded twice it would become a space. A plus sign in a path is a plus sign.
		{"a variable is decoded once", "GET", "/a/x%2520z/b/%C3%A9+", "GET /a/{first}/b/{second}",
			map[string]string{"first": "x%20z", "second": "é+"}},
		// HTTP APIs decode the path before they match it, so %2F separates segments like a slash.
		{"an escaped slash ends a variable", "PUT", "/a/x%2Fy/b/2", "ANY /{proxy+}",
			map[string]string{"proxy": "a/x/y/b/2"}},
		{"an escaped slash begins a segment", "GET", "/a/x%2fb/y", "GET /a/{first}/b/{second}",
			map[string]string{"first": "x", "second": "y"}},
		{"the rest takes an escaped slash", "GET", "/pets/a%2Fb", "GET /pets/{proxy+}",
			map[string]string{"proxy": "a/b"}},
		{"an escaped slash at the end makes another path", "GET", "/pets/dog/1%2F", "GET /pets/{proxy+}",
			map[string]string{"proxy": "dog/1/"}},
		{"the rest is decoded once", "PUT", "/x%2Fy/z%20", "ANY /{proxy+}", map[string]string{"proxy": "x/y/z "}},
		{"a literal may be escaped", "GET", "/p%65ts/dog/1", "GET /pets/dog/1", nil},
		{"an empty variable is none", "GET", "/a//b/2", "ANY /{proxy+}", map[string]string{"proxy": "a//b/2"}},
		{"a slash at the end makes another path",
			"GET", "/pets/dog/1/", "GET /pets/{proxy+}", map[string]string{"proxy": "dog/1/"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			route, variables, ok := routes.Match(test.method, test.path)
			if !ok {
				route = samtemplate.Route{}
			}
			if got := route.Key(); ok && got != test.route || !ok && test.route != "" {
				t.Fatalf("got %q, want %q", got, test.route)
			}
			if !maps.Equal(variables, test.variables) && len(variables)+len(test.variables) > 0 {
				t.Errorf("the variables are %v, want %v", variables, test.variables)
			}
		})
	}
}
