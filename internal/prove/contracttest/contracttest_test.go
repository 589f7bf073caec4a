package contracttest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
)

// recorder is a testing.TB that records failures instead of failing.
type recorder struct {
	testing.TB
	faults []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// TestWhatBreaksTheContract: each case is one exchange, and a part of the expected complaint; "" for no complaint.
func TestWhatBreaksTheContract(t *testing.T) {
	const (
		users = "/platform/api/v1/users"
		user  = `{"id":7,"name":"Ada","email":"ada@example.org",` +
			`"created_at":"2026-03-02T09:30:00.125Z","updated_at":"2026-03-02T09:30:00.125Z",` +
			`"custom_attributes":{}}`
		create = `{"name":"Ada","email":"ada@example.org","password":"correct horse"}`
		mail   = `{"key":"k","recipients":[{"email":"ada@example.org"}]}`
		token  = `{"access_token":"fda_1_x","expires_at":"2026-04-01T09:30:00Z","user_id":7}`
		failed = `{"message":"no","code":"internal","request_id":"x"}`
		portal = "/api/v1/accounts/1/portals/handbook/categories"
		// nameless has no request id, so the operator could not find its log line.
		nameless = `{"message":"no","code":"internal"}`
		empty    = `{"payload":[],"meta":{"categories_count":0}}`
		sent     = `{"status":"success","id":"x"}`
		summary  = `{"id":7,"name":"FAQ","slug":"faq","locale":"en","position":null}`
	)
	type exchange struct {
		method, path, body string
		careless           bool
		status             int
		answer             string
		header             map[string]string // changes of the good header; "-" removes a field
		want               string
	}
	creating := func(body string, status int, answer, want string) exchange {
		return exchange{method: "POST", path: users, body: body, status: status, answer: answer, want: want}
	}
	// answered is a good request to create a user, with an answer in which one text is replaced.
	answered := func(old, new, want string) exchange {
		return creating(create, 200, strings.Replace(user, old, new, 1), want)
	}
	headed := func(name, value, want string) exchange {
		e := creating(create, 200, user, want)
		e.header = map[string]string{name: value}
		return e
	}
	sending := func(body string, status int, answer, want string) exchange {
		return exchange{method: "POST", path: "/sender.php", body: body, status: status, answer: answer, want: want}
	}
	bodiless := func(method, path string, status int, answer, want string) exchange {
		return exchange{method: method, path: path, status: status, answer: answer, want: want}
	}
	// with is a mail with some more fields.
	with := func(fields string) string { return strings.TrimSuffix(mail, "}") + "," + fields + "}" }
	// warned is the answer to a mail of which one field is unknown.
	warned := func(field string) string {
		return `{"status":"success","id":"x","warning":["unknown field ` + field + ` is ignored"]}`
	}
	further := strings.Replace(warned("7"), "unknown field 7 is", "further unknown fields are", 1)
	// listed is a list of one category, with its parent and its related categories.
	listed := func(parent, related string) string {
		return `{"payload":[` + strings.TrimSuffix(summary, "}") + `,"description":null,"account_id":1,` +
			`"parent_category":` + parent + `,"root_category":null,"related_categories":[` + related + `],` +
			`"sub_category_ids":[],"associated_category_ids":[],` +
			`"created_at":"2026-03-02T09:30:00.125Z","updated_at":"2026-03-02T09:30:00.125Z"}],"meta":{}}`
	}
	careless := creating(`{"name":"Ada"}`, 200, user, "")
	careless.careless = true
	anonymous := bodiless("GET", users+"/7", 200, user, "no such credential")
	anonymous.header = map[string]string{"no-token": ""}
	for name, c := range map[string]exchange{
		"a good exchange": creating(create, 200, user, ""),
		"a field that the contract lacks": answered(
			"{", `{"admin":true,`, `property "admin" is unsupported`,
		),
		"a field that is missing":             answered(`"id":7,`, "", `property "id" is missing`),
		"a wrong type":                        answered("7", `"7"`, `at "/id": value must be an integer`),
		"an id that JavaScript does not hold": answered("7", "9007199254740993", `at "/id": number must be at most`),
		"no date":                             answered("2026-03-02T", "yesterday ", "/created_at"),
		"the largest id":                      answered("7", "9007199254740991", ""),
		"a status that the contract lacks":    creating(create, 201, user, "status is not supported"),
		"another content type":                headed("Content-Type", "text/plain", "text/plain"),
		"a header that is missing":            headed("Cache-Control", "-", `"cache-control" missing`),
		"a header with another value":         headed("Cache-Control", "public", `"cache-control" doesn't match`),
		"a request that should not succeed":   creating(`{"name":"Ada"}`, 200, user, `property "email" is missing`),
		"the same, known":                     careless,
		"a request that is refused":           creating(`{"name":`, 400, `{"message":"no","code":"malformed"}`, ""),
		"a refusal without a code":            creating("{", 400, `{"message":"no"}`, `property "code" is missing`),
		"a refusal with the code of another":  creating("{", 400, `{"message":"no","code":"invalid"}`, "status 400"),
		"a refusal with an unknown code":      creating("{", 400, `{"message":"no","code":"bad"}`, `at "/code": value`),
		"a refusal with a field more": creating(
			`{"name":`, 400, `{"message":"no","code":"malformed","x":7}`, `property "x" is unsupported`,
		),
		"a fault of the function":             creating(create, 500, failed, ""),
		"a fault of the gateway":              creating(create, 503, `{"message":"Service Unavailable"}`, ""),
		"a fault of nobody":                   creating(create, 503, `{"message":"no"}`, "without a code"),
		"a fault that nobody finds":           creating(create, 500, nameless, "request id"),
		"no body where one is optional":       bodiless("POST", users+"/7/token", 200, token, ""),
		"no body where one is required":       bodiless("POST", users, 200, user, "request body"),
		"a success without a token":           anonymous,
		"a path that the contract lacks":      bodiless("GET", "/users", 200, user, "no such path and method"),
		"a method that the contract lacks":    bodiless("POST", users+"/7", 200, user, "no such path and method"),
		"a path that API Gateway refuses":     bodiless("GET", "/users", 404, `{"message":"Not Found"}`, ""),
		"a parameter that should not succeed": bodiless("GET", portal+"?limit=0", 200, empty, "must be at least 1"),
		"an empty parameter":                  bodiless("GET", portal+"?limit=", 200, empty, ""),
		"a null where a list has to be": bodiless(
			"GET", portal, 200, strings.Replace(empty, "[]", "null", 1), `at "/payload": Value is not nullable`,
		),
		"a null where a category may be": bodiless("GET", portal, 200, listed("null", ""), ""),
		"a category where null may be":   bodiless("GET", portal, 200, listed(summary, summary), ""),
		"a part of a category there": bodiless(
			"GET", portal, 200, listed(`{"id":7}`, ""), `at "/payload/0/parent_category/name": property "name"`,
		),
		"a null among categories": bodiless(
			"GET", portal, 200, listed("null", "null"), `at "/payload/0/related_categories/0": Value is not nullable`,
		),
		"a mail":                         sending(mail, 200, `{"status":"success","id":"x"}`, ""),
		"a mail with nulls":              sending(with(`"text":null,"ccs":null,"sender":null`), 200, sent, ""),
		"a mail with a sender":           sending(with(`"sender":{"email":"bob@example.org"}`), 200, sent, ""),
		"a mail with a part of one":      sending(with(`"sender":{}`), 200, sent, `at "/sender/email": property`),
		"a mail with a null in a list":   sending(with(`"ccs":[null]`), 200, sent, `at "/ccs/0": Value is not`),
		"a mail with another type":       sending(with(`"text":7`), 200, sent, `at "/text": value must be a string`),
		"a mail of a third status":       sending(mail, 200, `{"status":"maybe","id":"x"}`, "discriminator"),
		"a mail that is sent without id": sending(mail, 200, `{"status":"success"}`, `property "id" is missing`),
		"a mail that is not sent, with id": sending(
			mail, 200, `{"status":"error","code":"invalid","error":"no","id":"x"}`, `property "id" is unsupported`,
		),
		"a mail that is refused may be wrong": sending(
			"{}", 200, `{"status":"error","code":"invalid","error":"no"}`, "",
		),
		"a mail that is refused without a code": sending(
			"{}", 200, `{"status":"error","error":"no"}`, `property "code" is missing`,
		),
		"a mail that is sent may not": sending(
			`{"key":"k"}`, 200, `{"status":"success","id":"x"}`, `property "recipients" is missing`,
		),
		"a field that the contract lacks, with a warning": sending(
			with(`"htlm":"x"`), 200, warned("htlm"), "",
		),
		"a field that the contract lacks, without": sending(
			with(`"htlm":"x"`), 200, warned("html5"), "the endpoint reads htlm, which the contract lacks",
		),
		"such a field that is empty": sending(with(`"htlm":""`), 200, sent, ""),
		"such a field in a list": sending(
			with(`"ccs":[{"email":"bob@example.org","x":7}]`), 200, sent, "the endpoint reads ccs[0].x, which",
		),
		"a warning of a field that the contract has": sending(
			with(`"text":"x"`), 200, warned("text"), "the endpoint does not read the contract's text",
		),
		"more fields than an answer warns of": sending(with(`"htlm":"x"`), 200, further, ""),
		"a fault while a mail is sent": sending(
			mail, 500, `{"status":"error","code":"internal","error":"Internal error","request_id":"x"}`, "",
		),
		"a fault of the gateway then":   sending(mail, 500, `{"message":"Internal Server Error"}`, ""),
		"a fault in a shape of its own": sending(mail, 500, `{"oops":1}`, `property "oops" is unsupported`),
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				expect.Equal(t, string(body), c.body)
				expect.Equal(t, r.Header.Get("Contracttest"), "")
				for name, value := range map[string]string{
					"Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store",
					"X-Content-Type-Options": "nosniff", "Apigw-Requestid": "x",
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
			response, err := contracttest.Client(&got, http.DefaultTransport).Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if body, _ := io.ReadAll(response.Body); string(body) != c.answer {
				t.Errorf("the caller got %q", body)
			}
			said := strings.Join(got.faults, "\n")
			if (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
				t.Errorf("said %q, want %q", said, c.want)
			}
		})
	}
}

// TestABenchmarkIsNotMeasuredWithItsChecks: the checks would take longer than the request that they check.
func TestABenchmarkIsNotMeasuredWithItsChecks(t *testing.T) {
	testing.Benchmark(func(b *testing.B) {
		if contracttest.Client(b, http.DefaultTransport).Transport != http.DefaultTransport {
			t.Error("a benchmark has a client that checks")
		}
	})
}
