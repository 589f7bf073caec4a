package local_test

import (
	"cmp"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/browsertest"
	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// listeners returns the base URLs of all that a stack listens on, by what answers there.
func listeners(t *testing.T, s *local.Stack) map[string]string {
	t.Helper()
	environment := post(t, s, "/do/environment", "").body
	variable := func(name string) string {
		return regexp.MustCompile(`(?m)^` + name + `=(.*)$`).FindStringSubmatch(environment)[1]
	}
	return map[string]string{
		"API":         s.URL(),
		"services":    s.Environ()["AWS_ENDPOINT_URL_DYNAMODB"],
		"AWS proxy":   variable("AWS_ENDPOINT_URL"),
		"Runtime API": "http://" + variable("AWS_LAMBDA_RUNTIME_API"),
		"database":    *s.Operator().BaseEndpoint,
	}
}

// TestEveryListenerKnowsWebPages shows which requests of a browser's pages each listener refuses: by Origin, by
// Sec-Fetch-Site, and by Host against DNS rebinding. A program, which sends none of these, is served.
func TestEveryListenerKnowsWebPages(t *testing.T) {
	t.Parallel()
	s := startProcesses(t)
	at := listeners(t, s)
	type headers = map[string]string
	// A mail that any page could send if the services answered it: they verify no signature.
	const mail = `{"Content":{"Raw":{"Data":"U3ViamVjdDogeA0KDQp4"}},"Destination":{"ToAddresses":["a@example.org"]}}`
	requests := map[string]struct{ method, url, body string }{
		"the API":         {"GET", at["API"] + "/echo", ""},
		"the console":     {"GET", at["API"] + "/_local/outbox", ""},
		"a mail of SES":   {"POST", at["services"] + "/v2/email/outbound-emails", mail},
		"the stack":       {"POST", at["services"] + "/?Action=DescribeStacks&StackName=frontdesk", ""},
		"the AWS proxy":   {"POST", at["AWS proxy"] + "/v2/email/outbound-emails", mail},
		"the next event":  {"GET", at["Runtime API"] + "/2018-06-01/runtime/invocation/next", ""},
		"an event's end":  {"POST", at["Runtime API"] + "/2018-06-01/runtime/invocation/x/response", "{}"},
		"a failing start": {"POST", at["Runtime API"] + "/2018-06-01/runtime/init/error", "{}"},
	}
	for _, c := range []struct {
		name    string
		headers headers
		answers map[string]bool // what answers nevertheless
	}{ // which requests get an answer nevertheless
		{"a page of another origin", headers{"Origin": "https://example.com"}, map[string]bool{"the API": true}},
		{"a page on another port", headers{"Origin": "http://127.0.0.1:1"}, map[string]bool{"the API": true}},
		{"a page without an origin", headers{"Origin": "null"}, map[string]bool{"the API": true}},
		{"a picture of a page of another site", headers{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
			map[string]bool{"the API": true}},
		{"a frame of a page of the same site", headers{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate",
			"Sec-Fetch-Dest": "iframe"}, map[string]bool{"the API": true}},
		// A click in another page may open the console: it is a page to look at, and changes nothing.
		{"a link that is followed", headers{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate",
			"Sec-Fetch-Dest": "document"}, map[string]bool{"the API": true, "the console": true}},
		// The name of a site whose DNS answer has changed to 127.0.0.1: for a browser the stack then is that site.
		{"a name that is rebound", headers{"Host": "rebound.example.com"}, nil},
		{"a name that is rebound, with its port", headers{"Host": "rebound.example.com:3000"}, nil},
		{"a name under localhost", headers{"Host": "rebound.localhost"}, nil},
		{"the address of no machine", headers{"Host": "0.0.0.0:3000"}, nil},
	} {
		for what, r := range requests {
			request := newRequest(t, r.method, r.url, r.body)
			for name, value := range c.headers {
				request.Header.Set(name, value)
			}
			request.Host = c.headers["Host"]
			a := do(t, s, request)
			forbidden := a.StatusCode == http.StatusForbidden && strings.Contains(a.body, "Forbidden: ")
			if forbidden == c.answers[what] {
				t.Errorf("%s asks for %s: got %d %s", c.name, what, a.StatusCode, a.body)
			}
		}
	}
	if mails := s.Outbox().Mails(); len(mails) != 0 {
		t.Errorf("%d mails were sent", len(mails))
	}
	for _, host := range []string{"", "localhost", "LOCALHOST:1", "127.0.0.1:1", "[::1]", "host.docker.internal:3002"} {
		request := newRequest(t, "POST", requests["a mail of SES"].url, mail)
		request.Host = host
		if a := do(t, s, request); a.StatusCode != http.StatusOK {
			t.Errorf("a program calls the services %q: got %d %s", host, a.StatusCode, a.body)
		}
	}
	database, err := url.Parse(at["database"])
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, refusedByBrowsers[database.Port()], true)
}

// refusedByBrowsers are ports from https://fetch.spec.whatwg.org/#port-blocking.
var refusedByBrowsers = map[string]bool{"6665": true, "6666": true, "6667": true, "6668": true, "6669": true,
	"6679": true, "6697": true, "3659": true, "4045": true, "4190": true, "5060": true, "5061": true, "6566": true,
	"10080": true}

// TestServicesAreAtTheSameAddressAfterARestart shows that the port is kept with the data, so that a tool's
// configuration survives a restart. If the port is taken, the stack uses another one.
func TestServicesAreAtTheSameAddressAfterARestart(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	keep := func(o *local.Options) { o.Data = data }
	var first string
	for range 2 {
		s := startProcesses(t, keep)
		first = cmp.Or(first, s.Account().URL)
		if s.Account().URL != first {
			t.Errorf("they were at %s and are at %s", first, s.Account().URL)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	at := func(o *local.Options) { o.ServicesAddr = strings.TrimPrefix(first, "http://") }
	taken := startProcesses(t, at)
	if s := startProcesses(t, keep); s.Account().URL == taken.Account().URL {
		t.Errorf("two stacks are at %s", first)
	}
}

// testOtherOrigin lets a page of another origin, which knows every address, try to read and to write.
func testOtherOrigin(t *testing.T, browser *browsertest.Browser) {
	s := startProcesses(t)
	at := listeners(t, s)
	page := newSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "*")
	}))
	p := browser.Open(t, strings.Replace(page.url, "127.0.0.1", "page.localhost", 1))
	ask := func(url, init string) string {
		browsertest.Eval[any](p, `window.got = "", fetch("`+url+`", {signal: AbortSignal.timeout(5000), ...`+init+`}).
			then(r => window.got = r.type + r.status, () => window.got = "nothing"), ""`)
		p.Await("window.got")
		return browsertest.Eval[string](p, "window.got")
	}
	const (
		dynamoDB = `{method: "POST", body: "{}", headers: {"x-amz-target": "DynamoDB_20120810.ListTables",
			"content-type": "application/x-amz-json-1.0", "x-amz-date": "20260101T000000Z",
			authorization: "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, " +
			"SignedHeaders=host, Signature=0"}}`
		silent = `{mode: "no-cors"}`
		mail   = `{mode: "no-cors", method: "POST", body: JSON.stringify({
			Content: {Raw: {Data: btoa("Subject: x\r\n\r\nx")}}, Destination: {ToAddresses: ["a@example.org"]}})}`
	)
	if got := ask(page.url, dynamoDB); got != "cors200" {
		t.Fatalf("a server that answers every origin: got %s", got) // otherwise the cases below would prove nothing
	}
	for what, c := range map[string]struct{ url, init string }{
		"reads the database":          {at["database"], dynamoDB},
		"writes to it unread":         {at["database"], silent},
		"reads it by the services":    {at["services"], dynamoDB},
		"reads it by the AWS proxy":   {at["AWS proxy"], dynamoDB},
		"reads the outbox":            {at["API"] + "/_local/outbox", "{}"},
		"reads the credentials":       {at["API"] + "/_local/stack", "{}"},
		"takes a function's event":    {at["Runtime API"] + "/2018-06-01/runtime/invocation/next", "{}"},
		"reads what the API answers":  {at["API"] + "/echo", "{}"},
		"sends a mail with an answer": {at["services"] + "/v2/email/outbound-emails", `{method: "POST", body: "{}"}`},
	} {
		if got := ask(c.url, c.init); got != "nothing" {
			t.Errorf("a page of another origin %s: got %s", what, got)
		}
	}
	ask(at["services"]+"/v2/email/outbound-emails", mail)
	ask(at["Runtime API"]+"/2018-06-01/runtime/invocation/next", silent)
	if mails := s.Outbox().Mails(); len(mails) != 0 {
		t.Errorf("a page of another origin has sent %d mails", len(mails))
	}
	if a := post(t, s, "/do/pid", ""); a.StatusCode != http.StatusOK {
		t.Errorf("after a page has asked for an event: got %d %s", a.StatusCode, a.body)
	}
	if n := len(s.Lambda().Invocations()); n != 3 { // with those of listeners and of the page's own GET /echo
		t.Errorf("there were %d invocations", n)
	}
	// A name that resolves to this machine has the origin of what is served there. Only the Host header gives it away.
	for _, what := range []string{"services", "AWS proxy", "Runtime API", "API"} {
		p.Go(strings.Replace(at[what], "127.0.0.1", "rebound.localhost", 1) + "/_local/outbox")
		if got := browsertest.Eval[string](p, `document.body.innerText`); !strings.Contains(got, "Forbidden: ") {
			t.Errorf("a rebound name reads of the %s: %s", what, got)
		}
	}
	if _, err := dynamodb.NewFromConfig(s.Operator()).ListTables(t.Context(), nil); err != nil {
		t.Errorf("an SDK reads the database: %v", err)
	}
}
