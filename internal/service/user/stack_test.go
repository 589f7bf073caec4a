package user_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/dynamodb"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/platformapp"

	"github.com/guregu/dynamo/v2"
)

type (
	object = fixture.Object
	array  = fixture.Array
)

// password is what every user of the tests signs in with, unless the test sets another one.
const password = fixture.Password

// stack is a running stack. When its test ends, its table and its logs are searched for every secret that the test
// has seen.
type stack struct {
	*fixture.Stack
	apps platformapp.Store

	mu      sync.Mutex
	secrets []string
	last    string // request
	logs    []*logBuffer
	stale   atomic.Int64 // number of reads that are not strongly consistent
}

// start starts a stack whose leaks and stale reads fail the test.
func start(t testing.TB, change ...func(*local.Options)) *stack {
	t.Helper()
	return watched(t, fixture.Start(t, change...))
}

func watched(t testing.TB, running *fixture.Stack) *stack {
	t.Helper()
	s := &stack{Stack: running}
	s.apps.Table = s.Table
	t.Cleanup(func() {
		s.searchForSecrets(t)
		if n := s.stale.Load(); n > 0 {
			t.Errorf("%d reads were not strongly consistent", n)
		}
	})
	return s
}

// client is a platform app and its token.
type client struct {
	*stack
	app   platformapp.App
	token string
}

// mustBeWhole checks the table, and that no app has left a user without any link, whom no app could see or delete.
func (s *stack) mustBeWhole(t testing.TB) {
	t.Helper()
	s.MustBeWhole(t)
	users, linked := map[string]bool{}, map[string]bool{}
	for _, item := range s.Items(t) {
		switch k := fixture.KeyOf(t, item); {
		case strings.HasPrefix(k.PK, table.Users):
			users[k.EndOfPartition().Key()] = true
		case strings.HasPrefix(k.PK, table.LinkedApps):
			linked[k.EndOfPartition().Key()] = true
		}
	}
	for u := range users {
		if !linked[u] {
			t.Errorf("user %s has no link", u)
		}
	}
}

// newApp makes a platform app without a grant, a login address or the right to import hashes.
func (s *stack) newApp(t testing.TB, name string) client {
	t.Helper()
	app, token, err := s.apps.Create(context.Background(), platformapp.App{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	s.addSecret(token)
	return client{s, app, token}
}

// leadTo gives an app a login address; "" removes it.
func (c client) leadTo(t testing.TB, address string) {
	t.Helper()
	app, err := c.apps.Update(t.Context(), c.app.ID, platformapp.Change{LoginURL: &address})
	if err != nil || app.LoginURL != address {
		t.Fatalf("login address %q, %v; want %q", app.LoginURL, err, address)
	}
}

// addSecret remembers a secret, if there is one.
func (s *stack) addSecret(secret string) {
	if secret == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secrets = append(s.secrets, secret)
}

// reply is an answer of any endpoint, with the fields of all of them.
type reply struct {
	fixture.Answer
	fields
}

// fields are those of users, errors, links, tokens and lists together.
type fields struct {
	ID          id.ID
	Name, Email string
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	URL         string
	Data        struct {
		ID          id.ID
		Name, Email string
		AccessToken string `json:"access_token"`
	}
	Message    string
	Attributes []string

	CustomAttributes json.RawMessage `json:"custom_attributes"`
	Warnings         []string

	AccessToken string    `json:"access_token"`
	ExpiresAt   time.Time `json:"expires_at"`
	UserID      id.ID     `json:"user_id"`

	Payload []fields
	Meta    struct {
		NextCursor string `json:"next_cursor"`
	}
}

// newReply decodes an answer and remembers the secrets in it.
func (s *stack) newReply(t testing.TB, a fixture.Answer) reply {
	t.Helper()
	r := reply{Answer: a}
	a.Decode(t, &r.fields)
	s.addSecret(r.Data.AccessToken)
	s.addSecret(r.AccessToken)
	s.addSecret(fixture.TokenOfLink(r.URL))
	return r
}

// call sends a request like [fixture.Stack.Call]. It may be called from any goroutine.
func (s *stack) call(t testing.TB, to fixture.Target, header http.Header, body any) reply {
	t.Helper()
	r := s.newReply(t, s.Call(t, to, header, body))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = r.RequestID
	return r
}

// withoutWarnings returns the body of an answer without its warnings.
func (r reply) withoutWarnings() string {
	user, _, warned := strings.Cut(r.Raw, `,"warnings":`)
	if warned {
		user += "}"
	}
	return user
}

// write is a value as JSON.
func write(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// null is JSON's; a Go nil leaves a field out.
var null = json.RawMessage("null")

// details returns the fields of a new user with some changed. A nil field is left out.
func details(email string, change object) object {
	return fixture.With(object{"name": "Ada Lovelace", "email": email, "password": password}, change)
}

// send sends a request of the app.
func (c client) send(t testing.TB, to fixture.Target, body any) reply {
	t.Helper()
	return c.call(t, to, fixture.Token(c.token), body)
}

// create creates a user, or links one, by its endpoint. The next functions call one endpoint each.
func (c client) create(t testing.TB, details object) reply {
	t.Helper()
	return c.send(t, fixture.To("createUser"), details)
}

func (c client) show(t testing.TB, user any) reply {
	t.Helper()
	return c.send(t, fixture.To("getUser", user), nil)
}

func (c client) update(t testing.TB, user any, change object) reply {
	t.Helper()
	return c.send(t, fixture.To("updateUser", user), change)
}

func (c client) login(t testing.TB, user any) reply {
	t.Helper()
	return c.send(t, fixture.To("createLoginLink", user), nil)
}

func (c client) list(t testing.TB, query string) reply {
	t.Helper()
	return c.send(t, fixture.To("listUsers").Query(query), nil)
}

func (c client) delete(t testing.TB, user any) reply {
	t.Helper()
	return c.send(t, fixture.To("deleteUser", user), nil)
}

// mint makes an agent token.
func (c client) mint(t testing.TB, user any) reply {
	t.Helper()
	return c.send(t, fixture.To("createUserToken", user), nil)
}

// endTokens ends all of a user's agent tokens and login links.
func (c client) endTokens(t testing.TB, user any) reply {
	t.Helper()
	return c.send(t, fixture.To("deleteUserTokens", user), nil)
}

// leaveUnanswered stores the record of a login link of which nobody knows whether it was spent.
func (s *stack) leaveUnanswered(t testing.TB, of id.ID) {
	t.Helper()
	key := table.UnansweredLogin(of, [32]byte{1})
	item := user.Login{Key: key, User: of, ExpiresAt: time.Now().Add(time.Minute)}
	if err := s.Table.Put(item).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// signIn sends credentials from the address of this machine.
func (s *stack) signIn(t testing.TB, credentials object) reply {
	t.Helper()
	return s.call(t, fixture.To("signIn"), nil, credentials)
}

// mustCreate creates a user, or links one.
func (c client) mustCreate(t testing.TB, details object) reply {
	t.Helper()
	r := c.create(t, details)
	if r.Status != http.StatusOK || r.ID == 0 {
		t.Fatalf("create: %d %s", r.Status, r.Raw)
	}
	return r
}

// mustHave makes a user without the endpoint, for tests about something else. The reply has what the endpoint
// would answer.
func (c client) mustHave(t testing.TB, details object) reply {
	t.Helper()
	users := &user.Service{Table: c.Table, HashParams: fixture.CheapHash}
	made, err := users.Create(context.Background(), c.app.ID, user.Details{
		Name: details["name"].(string), Email: details["email"].(string), Password: details["password"].(string),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c.newReply(t, fixture.Answer{Raw: write(made)})
}

// mustLogin gets a login token.
func (c client) mustLogin(t testing.TB, user id.ID) string {
	t.Helper()
	r := c.login(t, user)
	token := fixture.TokenOfLink(r.URL)
	if r.Status != http.StatusOK || token == "" {
		t.Fatalf("login: %d %s", r.Status, r.Raw)
	}
	return token
}

// is checks an answer's status and message; "" accepts any message.
func (r reply) is(t testing.TB, status int, message string) {
	t.Helper()
	if r.Status != status || message != "" && r.Message != message {
		t.Errorf("answer %d %s, want %d %q", r.Status, r.Raw, status, message)
	}
	if taken := r.Message == "Email has already been taken"; taken != strings.Contains(r.Raw, `"code":"email_taken"`) {
		t.Errorf("answer %s has another code", r.Raw)
	}
}

// wroteNothing checks that the request of an answer has only read.
func (s *stack) wroteNothing(t testing.TB, r reply) {
	t.Helper()
	writes := slices.DeleteFunc(s.Actions(r.Answer), dynamodb.Reads)
	expect.Len(t, writes, 0, "writes of a request that is refused")
}

// unauthorized is the one body of every 401 to a platform app.
const unauthorized = `{"message":"api_access_token is missing or not valid, or does not permit this; ` +
	`it takes a platform app's token (fdp_…) alone, without Bearer","code":"unauthorized"}`

// refused is the one body of every failed sign-in.
const refused = `{"message":"Email, password or sign-in link is not valid","code":"unauthorized"}`

func decode(t testing.TB, item dynamo.Item, out any) {
	t.Helper()
	if err := dynamo.UnmarshalItem(item, out); err != nil {
		t.Fatal(err)
	}
}

// requestIDs are those of the gateway. They are random, and one in some hundred thousand contains the beginning of
// a secret.
var requestIDs = regexp.MustCompile(`"request_id":"[\w-]{15}="`)

// searchForSecrets searches the whole table and all logs for the secrets of the test, with and without their prefixes.
// It also searches the logs for e-mail addresses and names.
func (s *stack) searchForSecrets(t testing.TB) {
	t.Helper()
	if s.last != "" {
		localtest.WaitLog(t, s.Stack.Stack, s.last)
	}
	var table strings.Builder
	for _, item := range s.Items(t) {
		fmt.Fprintf(&table, "%s\n", write(item))
	}
	logs := strings.Join(localtest.Logs(s.Stack.Stack), "\n")
	for _, l := range s.logs {
		logs += l.String()
	}
	logs = requestIDs.ReplaceAllString(logs, "")
	logs = strings.ReplaceAll(logs, "token (fdp_…)", "") // of the message of every 401
	secrets := slices.Clone(s.secrets)
	secrets = append(secrets, password, "fdp_", "fda_", "fdl_")
	for _, secret := range secrets {
		bare := secret[strings.LastIndexByte(secret, '_')+1:]
		if bare == "" {
			bare = secret
		}
		if i := strings.Index(table.String(), bare); i >= 0 {
			t.Errorf("the table has %q: %.200s", secret, table.String()[max(0, i-50):])
		}
		if i := strings.Index(logs, bare); i >= 0 {
			t.Errorf("the log has %q: %.200s", secret, logs[max(0, i-50):])
		}
	}
	for _, private := range []string{"@", "%40", "Lovelace", "password", "sso_auth"} {
		if i := strings.Index(logs, private); i >= 0 {
			t.Errorf("the log has %q: %.200s", private, logs[max(0, i-50):])
		}
	}
}
