package user_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/signin"

	"github.com/aws/aws-lambda-go/events"
)

// inProcess is the service beside the stack's functions, on the same table. Its hashes cost nothing and are counted.
type inProcess struct {
	*user.Service
	stack *stack
	log   *logBuffer

	mu      sync.Mutex
	hashed  int // number of passwords that were hashed or compared
	dummies int // of these, the comparisons with the dummy hash
}

// logBuffer is a log that several goroutines may write to.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// inProcess starts one. Its log is searched for secrets at the end of the test, like those of the functions.
func (s *stack) inProcess(t testing.TB) *inProcess {
	t.Helper()
	in := &inProcess{Service: &user.Service{Table: s.Table}, stack: s, log: new(logBuffer)}
	s.logs = append(s.logs, in.log)
	in.SetHasher(
		func(password string) (string, error) {
			in.countHash(false)
			return fakeHash(password), nil
		},
		func(password, hash string) (bool, error) {
			in.countHash(hash == user.DummyHash)
			return fakeHash(password) == hash, nil
		})
	return in
}

// fakeHash stands for a hash: the password backwards.
func fakeHash(password string) string {
	r := []rune(password)
	slices.Reverse(r)
	return "cheap:" + string(r)
}

func (in *inProcess) countHash(dummy bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.hashed++
	if dummy {
		in.dummies++
	}
}

// hashes returns how often a password was hashed or compared.
func (in *inProcess) hashes() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.hashed
}

// ask sends a request to an endpoint as an event of API Gateway.
func (in *inProcess) ask(t testing.TB, f api.Function, body, token string, path map[string]string) reply {
	t.Helper()
	return in.invoke(t, f, events.APIGatewayV2HTTPRequest{
		Headers:        map[string]string{"api_access_token": token},
		PathParameters: path,
		Body:           body,
		RequestContext: events.APIGatewayV2HTTPRequestContext{DomainName: "api.example.com", Stage: "$default"},
	})
}

// invoke runs the endpoint as Lambda does, with an event and its answer in JSON.
func (in *inProcess) invoke(t testing.TB, f api.Function, event events.APIGatewayV2HTTPRequest) reply {
	t.Helper()
	f.Log = slog.New(slog.NewJSONHandler(in.log, nil))
	raw, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	out, err := f.Invoke(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	var answer events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	return in.stack.newReply(t, fixture.Answer{Status: answer.StatusCode, Raw: strings.TrimSuffix(answer.Body, "\n")})
}

// create makes a user through the endpoint, with a hash that costs nothing.
func (in *inProcess) create(t testing.TB, app client, details object) reply {
	t.Helper()
	return in.ask(t, in.CreateFunction(), write(details), app.token, nil)
}

// newLoginToken gets a login token from the endpoint.
func (in *inProcess) newLoginToken(t testing.TB, app client, user id.ID) string {
	t.Helper()
	return fixture.TokenOfLink(in.ask(t, in.LoginFunction(), "", app.token, userID(user)).URL)
}

// find finds a user by the e-mail address.
func (in *inProcess) find(t testing.TB, email string) user.User {
	t.Helper()
	found, err := in.Find(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// userID returns the path parameters of a user.
func userID(user id.ID) map[string]string { return map[string]string{"user_id": user.String()} }

// signIn signs in, or tries to, always from the same network.
func (in *inProcess) signIn(t testing.TB, credentials object) reply {
	t.Helper()
	return in.signInFrom(t, "192.0.2.1", credentials)
}

// signInFrom signs in from an IP address. A header claims another one, as anybody can.
func (in *inProcess) signInFrom(t testing.TB, ip string, credentials object) reply {
	t.Helper()
	return in.invoke(t, signin.Function(in.Service), events.APIGatewayV2HTTPRequest{
		Headers: map[string]string{"x-forwarded-for": rand.Text()},
		Body:    write(credentials),
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			DomainName: "api.example.com", Stage: "$default",
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{SourceIP: ip},
		},
	})
}
