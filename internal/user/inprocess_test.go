package user_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/user"

	"github.com/aws/aws-lambda-go/events"
	"github.com/guregu/dynamo/v2"
)

// inside is the service in the test's own process, on the same table: with a clock that the test moves, and
// with hashes that cost nothing and are counted.
type inside struct {
	*user.Service
	desk *desk
	log  *logged

	mu     sync.Mutex
	now    time.Time
	hashed int // passwords that were hashed or compared
	nobody int // of them those that were compared with the hash of nobody
}

// logged is a log that several may write to.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (d *desk) inside(t testing.TB) *inside {
	t.Helper()
	in := &inside{Service: &user.Service{Table: d.table}, desk: d, log: new(logged), now: time.Now()}
	d.logs = append(d.logs, in.log)
	// Every look at the clock is a millisecond later than the one before: no two things happen at once.
	in.SetClock(func() time.Time {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.now = in.now.Add(time.Millisecond)
		return in.now
	})
	in.SetHasher(
		func(password string) (string, error) {
			in.count(false)
			return cheap(password), nil
		},
		func(password, hash string) (bool, error) {
			in.count(hash == user.DummyHash)
			return cheap(password) == hash, nil
		})
	return in
}

// cheap stands for a hash: the password backwards.
func cheap(password string) string {
	r := []rune(password)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return "cheap:" + string(r)
}

func (in *inside) count(nobody bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.hashed++
	if nobody {
		in.nobody++
	}
}

// hashes is how often a password was hashed or compared.
func (in *inside) hashes() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.hashed
}

// wait moves the clock.
func (in *inside) wait(d time.Duration) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.now = in.now.Add(d)
}

// ask sends an event to an endpoint.
func (in *inside) ask(t testing.TB, f api.Function, body, token string, path map[string]string) (r reply) {
	t.Helper()
	return in.send(t, f, events.APIGatewayV2HTTPRequest{
		Headers:        map[string]string{"api_access_token": token},
		PathParameters: path,
		Body:           body,
		RequestContext: events.APIGatewayV2HTTPRequestContext{DomainName: "api.example.com", Stage: "$default"},
	})
}

func (in *inside) send(t testing.TB, f api.Function, event events.APIGatewayV2HTTPRequest) (r reply) {
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
	r.HTTP, r.raw = answer.StatusCode, answer.Body
	for _, into := range []any{&r, &r.fields} {
		if err := json.Unmarshal([]byte(answer.Body), into); err != nil {
			t.Fatalf("answer %d %s: %v", answer.StatusCode, answer.Body, err)
		}
	}
	in.desk.keep(r.Data.AccessToken)
	in.desk.keep(loginToken(r.URL))
	return r
}

// signIn signs in, or tries to.
func (in *inside) signIn(t testing.TB, proof object) reply {
	t.Helper()
	return in.ask(t, in.SignInFunction(), write(proof), "", nil)
}

func (d *desk) decode(t testing.TB, item dynamo.Item, out any) {
	t.Helper()
	if err := dynamo.UnmarshalItem(item, out); err != nil {
		t.Fatal(err)
	}
}
