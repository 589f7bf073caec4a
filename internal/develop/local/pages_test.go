package local_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/console"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// page reads the JSON of one of the stack's own pages.
func page[T any](t testing.TB, s *local.Stack, path string) (v T) {
	t.Helper()
	a := get(t, s, path)
	if err := json.Unmarshal([]byte(a.body), &v); err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("%s: got %d %s", path, a.StatusCode, a.body)
	}
	return v
}

// TestConsoleIsAtLocal shows which paths are the console's. A path that only begins with _local is the API's.
func TestConsoleIsAtLocal(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		a := get(t, s, "/_local")
		expect.Equal(t, a.StatusCode, http.StatusFound, "/_local: status")
		expect.Equal(t, a.Header.Get("Location"), "/_local/", "/_local: Location")
		a = get(t, s, "/_local/")
		expect.Equal(t, a.StatusCode, http.StatusOK, "/_local/")
		expect.Contains(t, a.body, "<title>frontdesk local</title>", "/_local/")
		get(t, s, "/_localized").want(t, http.StatusNotFound, notFound) // it belongs to the API
	})
}

// TestPagesAreForThisMachine shows that every page checks the Host header, against DNS rebinding. Names that the
// options allow must match exactly.
func TestPagesAreForThisMachine(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		post(t, s, "/do/send?to=a@example.org", "Subject: secret\r\n\r\nx")
		id := s.Outbox().Mails()[0].ID
		from := func(host, path string) answer {
			request := newRequest(t, http.MethodGet, s.URL()+path, "")
			request.Host = host
			return do(t, s, request)
		}
		for _, path := range []string{
			"", "/", "/assets/main.js",
			"/outbox", "/outbox/" + id, "/outbox/" + id + ".eml",
			"/outbox/" + id + "/message", "/outbox/" + id + "/html", "/outbox/" + id + "/parts/0",
			"/search?text=x", "/requests", "/requests/x", "/builds", "/stack", "/events",
		} {
			a := from("rebound.example.com", "/_local"+path)
			what := fmt.Sprintf("/_local%s: ", path)
			expect.Equal(t, a.StatusCode, http.StatusForbidden, what)
			expect.Lacks(t, a.body, "secret", what)
			for name, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
			} {
				if got := a.Header.Get(name); got != want {
					t.Errorf("/_local%s: %s is %q", path, name, got)
				}
			}
		}
		named := startStack(t, func(o *local.Options) { o.Hosts = []string{"desk.internal", "192.168.0.2"} })
		for host, want := range map[string]int{
			"desk.internal": 200, "DESK.internal:3000": 200, "192.168.0.2:3000": 200, "localhost": 200,
			"x.desk.internal": 403, "desk.internal.example.com": 403, "192.168.0.20": 403,
		} {
			request := newRequest(t, http.MethodGet, named.URL()+"/_local/", "")
			request.Host = host
			if a := do(t, s, request); a.StatusCode != want {
				t.Errorf("with names that are allowed, Host %q: got %d, want %d", host, a.StatusCode, want)
			}
		}
		a := from("localhost:1", "/_local/outbox/"+id)
		expect.Equal(t, a.StatusCode, http.StatusOK, "on localhost")
		expect.Contains(t, a.body, `"subject":"secret"`, "on localhost")
	})
}

// remembered is the JSON of a request on /_local/requests.
type remembered struct {
	ID, Method, Path, Query, Function, Start, Error string
	At                                              time.Time
	Status                                          int
	MS                                              float64
	InitMS                                          float64 `json:"init_ms"`
	RoundTrips                                      int     `json:"round_trips"`
	Calls                                           []struct{ Service, Action string }
	Lines                                           []string
	Reason                                          string
	Exchange                                        *struct {
		Headers      map[string]string
		Body, Answer struct {
			Text string
			Size int
			Cut  bool
		}
	}
}

// TestRequestsAreRemembered shows what the console knows of a request, whichever part of the stack has answered it.
func TestRequestsAreRemembered(t *testing.T) {
	t.Parallel()
	s := startProcesses(t)
	began := time.Now()
	if empty := get(t, s, "/_local/requests"); empty.body != "[]\n" {
		t.Errorf("no requests are %s", empty.body)
	}
	key := `{"TableName":"` + s.Environ()["TABLE_NAME"] + `","Key":{"PK":{"S":"a"},"SK":{"S":"b"}}}`
	post(t, s, "/do/call?operation=GetItem", key)
	post(t, s, "/do/send?to=a@example.org", "Subject: x\r\n\r\nx")
	get(t, s, "/do/error")
	get(t, s, "/none/%C3%A9?a=1&b=%20")
	post(t, s, "/do/size", strings.Repeat("x", 7_000_000))
	get(t, s, "/init/exit")
	get(t, s, "/_local/outbox") // which is no request to the API

	want := []remembered{ // newest first
		{Method: "GET", Path: "/init/exit", Status: 500, Function: "FailingInitFunction", Start: "cold",
			Error: "init: ", Reason: "Internal Server Error"},
		{Method: "POST", Path: "/do/size", Status: 413, Function: "EchoFunction", Reason: "Request Entity Too Large"},
		{Method: "GET", Path: "/none/%C3%A9", Query: "a=1&b=%20", Status: 404, Reason: "Not Found"},
		{Method: "GET", Path: "/do/error", Status: 500, Function: "EchoFunction", Start: "warm", Error: "on purpose",
			Reason: "Internal Server Error"},
		{Method: "POST", Path: "/do/send", Query: "to=a@example.org", Status: 200, Function: "EchoFunction",
			Start: "warm", RoundTrips: 1},
		{Method: "POST", Path: "/do/call", Query: "operation=GetItem", Status: 200, Function: "EchoFunction",
			Start: "cold", RoundTrips: 1},
	}
	got := page[[]remembered](t, s, "/_local/requests")
	if len(got) != len(want) {
		t.Fatalf("%d requests are remembered, want %d: %+v", len(got), len(want), got)
	}
	for i, g := range got {
		w := want[i]
		expect.Equal(t, g.InitMS > 0, g.Start == "cold", w.Path+": it has taken time to start")
		if g.Start != "" {
			expect.Equal(t, g.MS > 0, true, w.Path+": it has taken time")
		}
		expect.Equal(t, g.At.Before(began.Truncate(time.Millisecond)), false, w.Path+": it was before the test")
		expect.Equal(t, len(g.ID), 16, w.Path)
		if !strings.Contains(g.Error, w.Error) || (g.Error == "") != (w.Error == "") {
			t.Errorf("%s: the error is %q, want %q", w.Path, g.Error, w.Error)
		}
		g.ID, g.At, g.MS, g.InitMS, g.Error, w.Error = "", time.Time{}, 0, 0, "", ""
		if !reflect.DeepEqual(g, w) {
			t.Errorf("%s: %+v, want %+v", w.Path, g, w)
		}
	}
	sent := page[remembered](t, s, "/_local/requests/"+got[4].ID)
	expect.Equal(t, sent.Path, "/do/send")
	expect.Equal(t, fmt.Sprint(sent.Calls), "[{ses SendEmail}]")
	expect.Equal(t, len(sent.Lines), 0)
	if a := get(t, s, "/_local/requests/none"); a.StatusCode != http.StatusNotFound {
		t.Errorf("a request that there was not: got %d %s", a.StatusCode, a.body)
	}
}

// TestRequestsHaveTheirBodies shows that the console keeps what was asked and answered. Long bodies are cut, and
// compressed ones are searched for the reason of a refusal.
func TestRequestsHaveTheirBodies(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		secret := "fdm_7_" + strings.Repeat("0123456789abcdef", 4)
		result := `{"statusCode":200,"body":"{\"status\":\"error\",\"error\":\"not with ` + secret + `\"}"}`
		request := newRequest(t, http.MethodPost, s.URL()+"/do/return?sso_auth_token="+secret, result)
		request.Header.Set("Content-Type", "text/plain")
		request.Header.Set("api_access_token", secret)
		refused := do(t, s, request).Header.Get("apigw-requestid")
		var zipped bytes.Buffer
		writer := gzip.NewWriter(&zipped)
		io.WriteString(writer, `{"status":"error","error":"unzipped"}`)
		writer.Close()
		compressed := post(t, s, "/do/return", `{"statusCode":200,"headers":{"content-encoding":"gzip"},`+
			`"isBase64Encoded":true,"body":"`+base64.StdEncoding.EncodeToString(zipped.Bytes())+`"}`)
		id := compressed.Header.Get("apigw-requestid")
		if got := page[remembered](t, s, "/_local/requests/"+id); got.Reason != "unzipped" {
			t.Errorf("the request that was answered compressed is %+v", got)
		}
		large := post(t, s, "/do/big?n=70000", strings.Repeat("word ", 14000)).Header.Get("apigw-requestid")
		post(t, s, "/do/send?to=a@example.org", "Subject: x\r\n\r\nx")

		got := page[remembered](t, s, "/_local/requests/"+refused)
		x := got.Exchange
		if x == nil {
			t.Fatal("there is no got.Exchange")
		}
		expect.Equal(t, got.Reason, "not with "+secret)
		expect.Equal(t, got.Query, "sso_auth_token="+secret)
		expect.Equal(t, x.Headers["api_access_token"], secret)
		expect.Equal(t, x.Body.Text, result)
		expect.Equal(t, x.Answer.Text, `{"status":"error","error":"not with `+secret+`"}`)
		got = page[remembered](t, s, "/_local/requests/"+large)
		x = got.Exchange
		if x == nil {
			t.Fatal("there is no got.Exchange")
		}
		expect.Equal(t, x.Body.Cut, true)
		expect.Equal(t, x.Answer.Cut, true)
		expect.Equal(t, x.Body.Size, 70000)
		expect.Equal(t, x.Answer.Size, 70000)
		expect.Equal(t, len(x.Body.Text), 64<<10)
		for search, want := range map[string]int{
			"": 4, "/do/": 4, "/DO/ return": 2, "not with": 1, "WORD": 1, "EchoFunction 200": 4, refused: 1, secret: 1,
		} {
			if n := len(page[[]remembered](t, s, "/_local/requests?search="+url.QueryEscape(search))); n != want {
				t.Errorf("%q finds %d requests, want %d", search, n, want)
			}
		}
		mail := s.Outbox().Mails()[0]
		expect.Equal(t, mail.RequestID, s.Requests()[0].ID)
		expect.Equal(t, mail.Tags["do"], "")
	})
}

// TestOtherPagesChangeNothing shows that neither a page of another origin nor a mail can delete anything.
func TestOtherPagesChangeNothing(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		for header, kept := range map[string]bool{
			"Origin: https://example.com": true, "Origin: null": true, "Sec-Fetch-Site: cross-site": true,
			"Sec-Fetch-Site: same-site": true, "Host: rebound.example.com": true,
			"Sec-Fetch-Site: same-origin": false, "Origin: " + s.URL(): false, "Accept: */*": false,
		} {
			post(t, s, "/do/send?to=a@example.org", "Subject: x\r\n\r\nx")
			for _, path := range []string{"/" + s.Outbox().Mails()[0].ID, ""} {
				request := newRequest(t, http.MethodDelete, s.URL()+"/_local/outbox"+path, "")
				name, value, _ := strings.Cut(header, ": ")
				if request.Header.Set(name, value); name == "Host" {
					request.Host = value
				}
				want := http.StatusNoContent
				if kept {
					want = http.StatusForbidden
				}
				if a := do(t, s, request); a.StatusCode != want {
					t.Errorf("DELETE %s with %s: got %d, want %d", path, header, a.StatusCode, want)
				}
			}
			if n := len(s.Outbox().Mails()); (n > 0) != kept {
				t.Errorf("with %s there are %d mails left", header, n)
			}
		}
	})
}

// TestRequestsHaveTheirLogLines shows that each line of a function is assigned to the request that wrote it, also the
// error of a function that panicked.
func TestRequestsHaveTheirLogLines(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		one := post(t, s, "/do/say", "one").Header.Get("apigw-requestid")
		lines := func(id string, n int) (lines []string) {
			deadline := time.Now().Add(10 * time.Second)
			for ; len(lines) < n && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
				lines = page[remembered](t, s, "/_local/requests/"+id).Lines
			}
			return lines
		}
		got := lines(one, 2)
		expect.Len(t, got, 2, "lines(one, 2)")
		expect.Equal(t, got[0], "one")
		expect.Contains(t, got[1], `"msg":"one"`)
		// A line without a request id belongs to the request that its process serves when the line is read.
		two := post(t, s, "/do/say", "two").Header.Get("apigw-requestid")
		expect.Len(t, lines(two, 2), 2)
		expect.Equal(t, lines(one, 2), got, "lines of one")
		crash := get(t, s, "/do/panic").Header.Get("apigw-requestid")
		got = lines(crash, 1)
		expect.Len(t, got, 1, "lines(crash, 1)")
		expect.Contains(t, got[0], "panic: on purpose")
	})
}

// stackPage is the JSON of /_local/stack.
type stackPage struct {
	Links       []struct{ Label, Path string }
	Credentials []console.Credential
	FirstMail   string        `json:"first_mail"`
	TestMail    *console.Call `json:"test_mail"`
}

// TestConsoleShowsWhatItIsTold shows that credentials and the test mail come from [local.Stack.Show]. The test mail is
// offered only if the API has its route.
func TestConsoleShowsWhatItIsTold(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		const nothing = `{"links":[{"label":"API docs","path":"/docs"},{"label":"Login page","path":"/app/login"}],` +
			`"credentials":[],"first_mail":"","scan":"","test_mail":null,"login":null}` + "\n"
		if a := get(t, s, "/_local/stack"); a.body != nothing {
			t.Errorf("of a stack that was told nothing: %s", a.body)
		}
		credentials := []console.Credential{{Label: "Mail key", Value: "fdm_<1>"}, {Label: "Account", Value: "7"}}
		s.Show(console.Shown{Credentials: credentials, FirstMail: "curl"})
		got := page[stackPage](t, s, "/_local/stack")
		expect.Equal(t, got.Credentials, credentials)
		expect.Equal(t, got.FirstMail, "curl")
		for path, want := range map[string]bool{"/do/send": true, "/none": false} {
			call := console.Call{Method: "POST", Path: path, Body: "x"}
			s.Show(console.Shown{TestMail: &call})
			got := page[stackPage](t, s, "/_local/stack").TestMail
			expect.Equal(t, got != nil, want)
			if want {
				expect.Equal(t, *got, call)
			}
		}
	})
}

// follow returns the topics that /_local/events sends.
func follow(t testing.TB, s *local.Stack) <-chan string {
	t.Helper()
	response, err := s.Client().Transport.RoundTrip(newRequest(t, http.MethodGet, s.URL()+"/_local/events", ""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if got := response.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("the type is %q", got)
	}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() && lines.Text() != "" { // the first event sets the time until a reconnection
	}
	topics := make(chan string, 100)
	go func() {
		defer close(topics)
		for lines.Scan() {
			if topic, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				topics <- topic
			}
		}
	}()
	return topics
}

// await waits until this topic has changed, and ignores others.
func await(t testing.TB, topics <-chan string, topic string) {
	t.Helper()
	for got := range topics {
		if got == topic {
			return
		}
	}
	t.Fatalf("the events ended before %q", topic)
}

// TestEventsTellWhatHasChanged shows that /_local/events names the topics that changed since it was opened, and no
// earlier ones.
func TestEventsTellWhatHasChanged(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		get(t, s, "/echo") // before anybody follows
		topics := follow(t, s)
		s.Show(console.Shown{})
		if first := <-topics; first != "stack" {
			t.Errorf("the first event is %q", first)
		}
		get(t, s, "/none")
		await(t, topics, "requests")
		post(t, s, "/do/send?to=a@example.org", "Subject: x\r\n\r\nx")
		await(t, topics, "outbox")
	})
}

// TestOpenConsoleDoesNotKeepTheStackFromClosing shows that the stream of an open console is ended, not waited for.
func TestOpenConsoleDoesNotKeepTheStackFromClosing(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		topics := follow(t, s)
		began := time.Now()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
		for range topics { // until they end
		}
	})
}
