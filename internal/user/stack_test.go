package user_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/docs/contracttest"
	"frontdesk/internal/id"
	"frontdesk/internal/local"
	"frontdesk/internal/local/localtest"
	"frontdesk/internal/table"
	"frontdesk/internal/user"

	"github.com/guregu/dynamo/v2"
)

// object writes JSON in tests.
type object = map[string]any

// password is what every user of the tests signs in with, unless he has one of his own.
const password = "correct horse battery"

// desk is a running stack. When its test ends, its table and its logs are searched for every secret that the
// test has seen.
type desk struct {
	stack *local.Stack
	table table.Table
	apps  user.Apps

	mu      sync.Mutex
	secrets []string
	last    string // request
	logs    []*logged
	stale   atomic.Int64 // reads that might not see what was written before
}

func open(t testing.TB, change ...func(*local.Options)) *desk {
	t.Helper()
	stack := localtest.Start(t, change...)
	tab := table.Open(stack.Operator(), stack.Environ()["TABLE_NAME"])
	d := &desk{stack: stack, table: tab, apps: user.Apps{Table: tab}}
	t.Cleanup(func() {
		d.searchForSecrets(t)
		if n := d.stale.Load(); n > 0 {
			t.Errorf("%d reads were not strongly consistent", n)
		}
	})
	return d
}

// client is a platform app and its token.
type client struct {
	*desk
	app   user.App
	token string
}

func (d *desk) newApp(t testing.TB, name string) client {
	t.Helper()
	app, token, err := d.apps.Create(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	d.keep(token)
	return client{d, app, token}
}

// keep remembers a secret, if there is one.
func (d *desk) keep(secret string) {
	if secret == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.secrets = append(d.secrets, secret)
}

// reply is an answer of an endpoint.
type reply struct {
	HTTP      int
	RequestID string
	raw       string
	header    http.Header

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
	fields     object
}

// call sends a request with a body as it is. It may be called from any goroutine.
func (d *desk) call(t testing.TB, method, path, body string, header http.Header) reply {
	t.Helper()
	request, err := http.NewRequest(method, d.stack.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return reply{}
	}
	maps.Copy(request.Header, header)
	response, err := contracttest.Client(t).Do(request)
	if err != nil {
		t.Error(err)
		return reply{}
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	r := reply{HTTP: response.StatusCode, RequestID: response.Header.Get("apigw-requestid"), raw: string(raw), header: response.Header}
	for _, into := range []any{&r, &r.fields} {
		if err := json.Unmarshal(raw, into); err != nil {
			t.Errorf("answer %d %s: %v", response.StatusCode, raw, err)
		}
	}
	d.mu.Lock()
	d.last = r.RequestID
	d.mu.Unlock()
	d.keep(r.Data.AccessToken)
	d.keep(loginToken(r.URL))
	return r
}

func loginToken(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	return u.Query().Get("sso_auth_token")
}

// header is what carries a token in the form of the document.
func header(token string) http.Header { return http.Header{"api_access_token": {token}} }

func write(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// null is JSON's; a Go nil leaves a field out.
var null = json.RawMessage("null")

// details are those of a new user with some fields changed; a nil field is left out.
func details(email string, change object) object {
	o := object{"name": "Ada Lovelace", "email": email, "password": password}
	for name, value := range change {
		if o[name] = value; value == nil {
			delete(o, name)
		}
	}
	return o
}

func (c client) create(t testing.TB, details object) reply {
	t.Helper()
	return c.call(t, "POST", usersPath, write(details), header(c.token))
}

const usersPath = "/platform/api/v1/users"

func path(user any, more ...string) string {
	return fmt.Sprintf("%s/%v%s", usersPath, user, strings.Join(more, ""))
}

func (c client) show(t testing.TB, user any) reply {
	t.Helper()
	return c.call(t, "GET", path(user), "", header(c.token))
}

func (c client) update(t testing.TB, user any, change object) reply {
	t.Helper()
	return c.call(t, "PATCH", path(user), write(change), header(c.token))
}

func (c client) login(t testing.TB, user any) reply {
	t.Helper()
	return c.call(t, "GET", path(user, "/login"), "", header(c.token))
}

func (d *desk) signIn(t testing.TB, proof object) reply {
	t.Helper()
	return d.call(t, "POST", "/auth/sign_in", write(proof), nil)
}

// mustCreate creates a user, or links one.
func (c client) mustCreate(t testing.TB, details object) reply {
	t.Helper()
	r := c.create(t, details)
	if r.HTTP != http.StatusOK || r.ID == 0 {
		t.Fatalf("create: %d %s", r.HTTP, r.raw)
	}
	return r
}

// mustLogin gets a login token.
func (c client) mustLogin(t testing.TB, user id.ID) string {
	t.Helper()
	r := c.login(t, user)
	token := loginToken(r.URL)
	if r.HTTP != http.StatusOK || token == "" {
		t.Fatalf("login: %d %s", r.HTTP, r.raw)
	}
	return token
}

// is checks an answer's status and message, "" for any.
func (r reply) is(t testing.TB, status int, message string) {
	t.Helper()
	if r.HTTP != status || message != "" && r.Message != message {
		t.Errorf("answer %d %s, want %d %q", r.HTTP, r.raw, status, message)
	}
}

// unauthorized is the one body of every 401 of a platform app.
const unauthorized = `{"message":"api_access_token is missing or not valid, or does not permit this"}`

// refused is the one body of every sign-in that fails.
const refused = `{"message":"Email, password or sign-in link is not valid"}`

// actions are the calls of a request, in their order.
func (d *desk) actions(r reply) (list []string) {
	for _, call := range d.stack.Gate().Calls(r.RequestID) {
		list = append(list, call.Action)
	}
	return list
}

// everything is the whole table.
func (d *desk) everything(t testing.TB) []dynamo.Item {
	t.Helper()
	var items []dynamo.Item
	if err := d.table.Scan().Consistent(true).All(context.Background(), &items); err != nil {
		t.Fatal(err)
	}
	return items
}

// count is how many items have a key of that kind: its partition key and sort key begin so.
func (d *desk) count(t testing.TB, pk, sk string) (n int) {
	t.Helper()
	for _, item := range d.everything(t) {
		if k := keyOf(t, item); strings.HasPrefix(k.PK, pk) && strings.HasPrefix(k.SK, sk) {
			n++
		}
	}
	return n
}

func keyOf(t testing.TB, item dynamo.Item) (k table.Key) {
	t.Helper()
	if err := dynamo.UnmarshalItem(item, &k); err != nil {
		t.Fatal(err)
	}
	return k
}

// searchForSecrets greps the whole table and everything that was logged for the secrets of the test, with
// and without what stands before them; and the logs for e-mail addresses and names, too.
func (d *desk) searchForSecrets(t testing.TB) {
	t.Helper()
	if d.last != "" {
		localtest.WaitLog(t, d.stack, d.last)
	}
	var table strings.Builder
	for _, item := range d.everything(t) {
		fmt.Fprintf(&table, "%s\n", write(item))
	}
	logs := strings.Join(localtest.Logs(d.stack), "\n")
	for _, l := range d.logs {
		logs += l.String()
	}
	secrets := slices.Clone(d.secrets)
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

// together calls f n times at once.
func together(n int, f func(i int) reply) []reply {
	answers := make([]reply, n)
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	ready.Add(n)
	for i := range n {
		done.Go(func() {
			ready.Done()
			<-start
			answers[i] = f(i)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
	return answers
}
