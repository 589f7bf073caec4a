package contracttest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/docs/contracttest"
)

// recorder is a test that fails without failing.
type recorder struct {
	testing.TB
	faults []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// TestWhatBreaksTheContract: each case is an exchange, and what is to be said of it, "" for nothing.
func TestWhatBreaksTheContract(t *testing.T) {
	const (
		users  = "/platform/api/v1/users"
		user   = `{"id":7,"name":"Ada","email":"ada@example.org","created_at":"2026-03-02T09:30:00.125Z","updated_at":"2026-03-02T09:30:00.125Z"}`
		create = `{"name":"Ada","email":"ada@example.org","password":"correct horse"}`
		mail   = `{"key":"k","recipients":[{"email":"ada@example.org"}]}`
		portal = "/api/v1/accounts/1/portals/handbook/categories"
	)
	for name, c := range map[string]struct {
		method, path, body string
		careless           bool
		status             int
		answer             string
		header             map[string]string // over the good one; "-" removes
		want               string
	}{
		"a good exchange":                     {"POST", users, create, false, 200, user, nil, ""},
		"a field that the contract lacks":     {"POST", users, create, false, 200, strings.Replace(user, "{", `{"admin":true,`, 1), nil, "property \"admin\" is unsupported"},
		"a field that is missing":             {"POST", users, create, false, 200, strings.Replace(user, `"id":7,`, "", 1), nil, "/id: property \"id\" is missing"},
		"a wrong type":                        {"POST", users, create, false, 200, strings.Replace(user, "7", `"7"`, 1), nil, "/id: value must be an integer"},
		"an id that JavaScript does not hold": {"POST", users, create, false, 200, strings.Replace(user, "7", "9007199254740993", 1), nil, "/id: number must be at most"},
		"no date":                             {"POST", users, create, false, 200, strings.Replace(user, "2026-03-02T", "yesterday ", 1), nil, "/created_at"},
		"a status that the contract lacks":    {"POST", users, create, false, 201, user, nil, "status is not supported"},
		"another content type":                {"POST", users, create, false, 200, user, map[string]string{"Content-Type": "text/plain"}, "text/plain"},
		"a header that is missing":            {"POST", users, create, false, 200, user, map[string]string{"Cache-Control": "-"}, `"cache-control" missing`},
		"a header with another value":         {"POST", users, create, false, 200, user, map[string]string{"Cache-Control": "public"}, `"cache-control" doesn't match`},
		"a request that should not succeed":   {"POST", users, `{"name":"Ada"}`, false, 200, user, nil, "missing property 'email'"},
		"the same, known":                     {"POST", users, `{"name":"Ada"}`, true, 200, user, nil, ""},
		"a request that is refused":           {"POST", users, `{"name":`, false, 400, `{"message":"no"}`, nil, ""},
		"a refusal with a field more":         {"POST", users, `{"name":`, false, 400, `{"message":"no","code":7}`, nil, "additional properties 'code' not allowed"},
		"a success without a token":           {"GET", users + "/7", "", false, 200, user, map[string]string{"no-token": ""}, "no such credential"},
		"a path that the contract lacks":      {"GET", "/users", "", false, 200, user, nil, "no such path and method"},
		"a method that the contract lacks":    {"DELETE", users + "/7", "", false, 200, user, nil, "no such path and method"},
		"a path that API Gateway refuses":     {"GET", "/users", "", false, 404, `{"message":"Not Found"}`, nil, ""},
		"a parameter that should not succeed": {"GET", portal + "?limit=0", "", false, 200, `{"payload":[],"meta":{"categories_count":0}}`, nil, "minimum: got 0, want 1"},
		"an empty parameter":                  {"GET", portal + "?limit=", "", false, 200, `{"payload":[],"meta":{"categories_count":0}}`, nil, ""},
		"a null where a list has to be":       {"GET", portal, "", false, 200, `{"payload":null,"meta":{"categories_count":0}}`, nil, "/payload: Value is not nullable"},
		"a mail":                              {"POST", "/sender.php", mail, false, 200, `{"status":"success","id":"x"}`, nil, ""},
		"a mail that is sent without id":      {"POST", "/sender.php", mail, false, 200, `{"status":"success"}`, nil, "missing property 'id'"},
		"a mail that is not sent, with id":    {"POST", "/sender.php", mail, false, 200, `{"status":"error","error":"no","id":"x"}`, nil, "not"},
		"a mail that is refused may be wrong": {"POST", "/sender.php", "{}", false, 200, `{"status":"error","error":"no"}`, nil, ""},
		"a mail that is sent may not":         {"POST", "/sender.php", `{"key":"k"}`, false, 200, `{"status":"success","id":"x"}`, nil, "missing property 'recipients'"},
		"a fault of the function":             {"POST", "/sender.php", mail, false, 500, `{"status":"error","error":"Internal error","request_id":"x"}`, nil, ""},
		"a fault of the gateway":              {"POST", "/sender.php", mail, false, 500, `{"message":"Internal Server Error"}`, nil, ""},
		"a fault in a shape of its own":       {"POST", "/sender.php", mail, false, 500, `{"oops":1}`, nil, "additional properties 'oops' not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if body, _ := io.ReadAll(r.Body); string(body) != c.body || r.Header.Get("Contracttest") != "" {
					t.Errorf("the server got %q with %v", body, r.Header)
				}
				for name, value := range map[string]string{
					"Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Apigw-Requestid": "x",
				} {
					if other, ok := c.header[name]; ok {
						value = other
					}
					if value != "-" {
						w.Header().Set(name, value)
					}
				}
				w.WriteHeader(c.status)
				io.WriteString(w, c.answer)
			}))
			defer server.Close()
			request, err := http.NewRequest(c.method, server.URL+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			if _, without := c.header["no-token"]; !without {
				request.Header["api_access_token"] = []string{"t"}
			}
			if c.careless {
				request.Header = contracttest.Careless(request.Header)
			}
			var got recorder
			response, err := contracttest.Client(&got).Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if body, _ := io.ReadAll(response.Body); string(body) != c.answer {
				t.Errorf("the caller got %q", body)
			}
			if said := strings.Join(got.faults, "\n"); (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
				t.Errorf("said %q, want %q", said, c.want)
			}
		})
	}
}

// TestABenchmarkIsNotMeasuredWithItsChecks: they would cost more than what they check.
func TestABenchmarkIsNotMeasuredWithItsChecks(t *testing.T) {
	testing.Benchmark(func(b *testing.B) {
		if contracttest.Client(b) != http.DefaultClient {
			t.Error("a benchmark has a client that checks")
		}
	})
}
