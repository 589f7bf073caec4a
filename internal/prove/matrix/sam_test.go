package matrix

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/develop/local/gateway"
	"frontdesk/internal/develop/local/lambda"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"

	"github.com/aws/aws-lambda-go/events"
)

// eventsOfSAMLocal: every function answers an event of sam local as it answers the request. That server drops
// header names with an underscore, so a token in api_access_token is missing there, and the other names carry it.
func eventsOfSAMLocal(t testing.TB, s *fixture.Stack) {
	routes := gateway.NewRouter(loadTemplate(t).Routes)
	each(endpoints(), func(r fixture.Request) {
		if r.Operation == "" {
			return // its event does not come from the API
		}
		c, onAWS := s.NewClient(t), s.NewClient(t)
		sent, asRequest := r.Prepare(c), onAWS.Prepared(r)
		text := r.By.Text(c.Tenant)
		if r.By == fixture.AppToken || r.By == fixture.AgentToken || r.By == fixture.MailKey {
			a := samAnswer(t, s, routes, r, sent.Signed(r.By, text))
			if a.Status != http.StatusUnauthorized {
				t.Errorf("%s, in api_access_token: answer %d %.300s, want 401", r, a.Status, a.Raw)
			}
			sent.Header = http.Header{"api-access-token": {text}, "Cookie": {"a=1; b=2"}}
		} else {
			sent = sent.Signed(r.By, text)
		}
		a := samAnswer(t, s, routes, r, sent)
		if err := sent.Done(a); a.Status != r.Good() || err != nil {
			t.Errorf("%s: answer %d %.300s: %v", r, a.Status, a.Raw, err)
		}
		want := s.Send(t, r, asRequest, nil)
		// API Gateway and its server add these. The server of sam local has no TLS, so it asks for none.
		for _, name := range strings.Fields("Apigw-Requestid Date Content-Length Strict-Transport-Security Vary") {
			want.Header.Del(name)
			a.Header.Del(name)
		}
		expect.Equal(t,
			slices.Sorted(maps.Keys(a.Header)), slices.Sorted(maps.Keys(want.Header)), r.String()+": names of headers")
	})
}

// formsUnderSAMLocal: what comes in another form from sam local than from API Gateway.
func formsUnderSAMLocal(t testing.TB, s *fixture.Stack) {
	routes := gateway.NewRouter(loadTemplate(t).Routes)
	contract := row(t, "getContract")
	tag := samAnswer(t, s, routes, contract, contract.Prepare(s.NewClient(t))).Header.Get("Etag")
	for name, c := range map[string]struct {
		operation string
		change    func(*fixture.Sent)
		status    int
		contains  string // in the body
	}{
		// API Gateway sends such a body in base64.
		"a body that curl -d sends": {"sendMail", func(s *fixture.Sent) {
			s.Header.Set("Content-Type", urlencoded)
		}, http.StatusOK, `"status":"success"`},
		"a text that is not ASCII": {"sendMail", func(s *fixture.Sent) {
			s.Body = fixture.With(s.Body.(object), object{"text": "Grüße 🎈"})
		}, http.StatusOK, `"status":"success"`},
		"no body": {"sendMail", func(s *fixture.Sent) { s.Body = nil }, http.StatusBadRequest, `"status":"error"`},
		"an empty Idempotency-Key": {"sendMail", func(s *fixture.Sent) {
			s.Header.Set("Idempotency-Key", "")
		}, http.StatusBadRequest, "Idempotency-Key"},
		"Authorization": {"getUser", func(s *fixture.Sent) {
			s.Header = http.Header{"Authorization": {"bearer  " + asSpelt(s.Header, "api_access_token")}}
		}, http.StatusOK, `"email":`},
		"another scheme": {"getUser", func(s *fixture.Sent) {
			s.Header = http.Header{"Authorization": {"Basic " + asSpelt(s.Header, "api_access_token")}}
		}, http.StatusUnauthorized, ""},
		// A link leads to the server of sam local.
		"a login link": {"createLoginLink", func(s *fixture.Sent) {
			s.Header = http.Header{"api-access-token": {asSpelt(s.Header, "api_access_token")}}
		}, http.StatusOK, `"http://localhost:3000/app/login?`},
		"a client that has the contract": {"getContract", func(s *fixture.Sent) {
			s.Header = http.Header{"If-None-Match": {tag}}
		}, http.StatusNotModified, ""},
	} {
		localtest.Case(t, name, func(t testing.TB) {
			r := row(t, c.operation)
			sent := s.NewClient(t).Prepared(r)
			c.change(&sent)
			a := samAnswer(t, s, routes, r, sent)
			expect.Equal(t, a.Status, c.status, fmt.Sprintf("status of %.300s", a.Raw))
			expect.Contains(t, a.Raw, c.contains, "body")
		})
	}
}

// row returns the first row of an operation.
func row(t testing.TB, operation string) fixture.Request {
	t.Helper()
	i := slices.IndexFunc(fixture.Requests, func(r fixture.Request) bool { return r.Operation == operation })
	if i < 0 {
		t.Fatalf("no row of %s", operation)
	}
	return fixture.Requests[i]
}

// samAnswer invokes the function of a request with the event of sam local.
func samAnswer(
	t testing.TB, s *fixture.Stack, routes gateway.Router, r fixture.Request, sent fixture.Sent,
) fixture.Answer {
	t.Helper()
	event, err := json.Marshal(samEvent(t, routes, sent))
	if err != nil {
		t.Fatal(err)
	}
	result, _, err := s.Lambda().Invoke(context.Background(), r.Function+"Function", lambda.Event{Payload: event})
	var answer events.APIGatewayV2HTTPResponse
	if err == nil {
		err = json.Unmarshal(result, &answer)
	}
	if err != nil {
		t.Errorf("%s: %v", r, err)
	}
	header := http.Header{}
	for name, value := range answer.Headers {
		header.Set(name, value)
	}
	return fixture.AnswerOf(r.String(), answer.StatusCode, header, answer.Body)
}

// samEvent returns the event that sam local start-api 1.x makes of a request. Its WSGI server drops header names with
// an underscore, and writes the others in title case. The domain is always localhost, the request id always the same,
// and the body never in base64; empty values are present.
// https://github.com/aws/aws-sam-cli/blob/develop/samcli/local/apigw/event_constructor.py
func samEvent(t testing.TB, routes gateway.Router, sent fixture.Sent) object {
	t.Helper()
	path, query, _ := strings.Cut(sent.Path, "?")
	route, variables, ok := routes.Match(sent.Method, path)
	if !ok {
		t.Fatalf("no route of %s %s", sent.Method, path)
	}
	body := text(t, sent.Body)
	headers := map[string]string{
		"Host": "127.0.0.1:3000", "X-Forwarded-Proto": "http", "X-Forwarded-Port": "3000",
	}
	if body != "" {
		headers["Content-Type"], headers["Content-Length"] = "application/json", fmt.Sprint(len(body))
	}
	for name, values := range sent.Header {
		if !strings.Contains(name, "_") {
			headers[textproto.CanonicalMIMEHeaderKey(name)] = strings.Join(values, ",")
		}
	}
	cookies := []string{}
	if headers["Cookie"] != "" {
		cookies = strings.Split(headers["Cookie"], "; ")
	}
	parameters := map[string]string{}
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	for name, all := range values {
		parameters[name] = strings.Join(all, ",")
	}
	return object{
		"version": "2.0", "routeKey": route.Key(), "rawPath": path, "rawQueryString": query, "headers": headers,
		"cookies": cookies, "body": body, "isBase64Encoded": false, "stageVariables": nil,
		"pathParameters": variables, "queryStringParameters": parameters,
		"requestContext": object{
			"accountId": "123456789012", "apiId": "1234567890", "domainName": "localhost", "routeKey": route.Key(),
			"requestId": "7b0f9d2c-8f3e-4f0a-9a51-000000000001", "stage": "$default",
			"timeEpoch": time.Now().UnixMilli(),
			"http": map[string]string{
				"method": sent.Method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1",
			},
		},
	}
}

// asSpelt returns the value of a header field by its name as the documents spell it, which is not Go's canonical form.
func asSpelt(header http.Header, name string) string { return header[name][0] }
