package category_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"frontdesk/internal/category/integrity"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/check"
	"frontdesk/internal/credential"
	"frontdesk/internal/docs/contracttest"
	"frontdesk/internal/id"
	"frontdesk/internal/local"
	"frontdesk/internal/local/localtest"
	"frontdesk/internal/table"
)

type (
	object = map[string]any
	array  = []any
)

// desk is a running stack with a portal and an agent who is its member.
type desk struct {
	stack  *local.Stack
	client *http.Client
	table  table.Table
	portal table.Portal
	agent  string // token
	path   string // of the portal's categories
}

func open(t testing.TB, change ...func(*local.Options)) *desk {
	t.Helper()
	stack := localtest.Start(t, change...)
	d := &desk{stack: stack, client: contracttest.Client(t), table: table.Open(stack.Operator(), stack.Environ()["TABLE_NAME"])}
	d.portal = d.newPortal(t, 1, "handbook", "en", "es", "fr")
	d.path = pathOf(d.portal)
	d.agent = d.newMember(t, d.portal)
	return d
}

func pathOf(p table.Portal) string {
	return fmt.Sprintf("/api/v1/accounts/%d/portals/%s/categories", p.Account, p.Slug)
}

func (d *desk) newPortal(t testing.TB, account id.ID, slug string, locales ...string) table.Portal {
	t.Helper()
	p, err := portal.Store{Table: d.table}.Create(context.Background(), portal.Portal{Account: account, Slug: slug, Name: slug, Locales: locales})
	if err != nil {
		t.Fatal(err)
	}
	return table.Portal{Account: p.Account, Slug: p.Slug}
}

// newAgent makes a user with a token that is good until then.
func (d *desk) newAgent(t testing.TB, until time.Time) (id.ID, string) {
	t.Helper()
	user := id.New()
	text, digest := credential.Mint(credential.Agent, user)
	for _, item := range []any{
		struct {
			table.Key
			ID id.ID `dynamo:"id"`
		}{table.User(user), user},
		struct {
			table.Key
			ExpiresAt int64 `dynamo:"expires_at"`
		}{table.AgentToken(user, digest), until.Unix()},
	} {
		if err := d.table.Put(item).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	return user, text
}

func (d *desk) newMember(t testing.TB, p table.Portal) string {
	t.Helper()
	user, token := d.newAgent(t, time.Now().Add(time.Hour))
	if err := (portal.Store{Table: d.table}).AddMember(context.Background(), p, user); err != nil {
		t.Fatal(err)
	}
	return token
}

// reply is an answer.
type reply struct {
	HTTP      int
	RequestID string
	Body      object
}

// call sends a request as an agent; a nil body is none.
func (d *desk) call(t testing.TB, method, path, token string, body any) reply {
	t.Helper()
	r, err := d.try(method, path, token, body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// try is call for goroutines of their own.
func (d *desk) try(method, path, token string, body any) (reply, error) {
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		content = bytes.NewBufferString(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			return reply{}, err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, d.stack.URL()+path, content)
	if err != nil {
		return reply{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header["api_access_token"] = []string{token} // as it is: Set would write Api_access_token
	}
	response, err := d.client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	r := reply{HTTP: response.StatusCode, RequestID: response.Header.Get("apigw-requestid")}
	if err := json.NewDecoder(response.Body).Decode(&r.Body); err != nil {
		return r, fmt.Errorf("%s %s: %d: %w", method, path, r.HTTP, err)
	}
	return r, nil
}

// create creates a category that has to be created, and gives its id.
func (d *desk) create(t testing.TB, fields object) int64 {
	t.Helper()
	r := d.call(t, "POST", d.path, d.agent, object{"category": fields})
	if r.HTTP != http.StatusOK {
		t.Fatalf("create %v: %d %v", fields, r.HTTP, r.Body)
	}
	return idOf(r.Body["payload"])
}

// named creates a category with that slug as its name and slug, and more fields.
func (d *desk) named(t testing.TB, slug string, more object) int64 {
	t.Helper()
	fields := object{"name": slug, "slug": slug}
	for name, value := range more {
		fields[name] = value
	}
	return d.create(t, fields)
}

func (d *desk) update(t testing.TB, category int64, fields object) reply {
	t.Helper()
	return d.call(t, "PUT", fmt.Sprintf("%s/%d", d.path, category), d.agent, object{"category": fields})
}

func (d *desk) delete(t testing.TB, category int64) reply {
	t.Helper()
	return d.call(t, "DELETE", fmt.Sprintf("%s/%d", d.path, category), d.agent, nil)
}

// get is a category as the list shows it, nil if it does not.
func (d *desk) get(t testing.TB, category int64) object {
	t.Helper()
	for _, c := range d.list(t, "") {
		if idOf(c) == category {
			return c.(object)
		}
	}
	return nil
}

func (d *desk) list(t testing.TB, query string) array {
	t.Helper()
	r := d.call(t, "GET", d.path+query, d.agent, nil)
	if r.HTTP != http.StatusOK {
		t.Fatalf("list: %d %v", r.HTTP, r.Body)
	}
	return r.Body["payload"].(array)
}

// idOf is the id of a category, or of a summary of one; 0 for nil.
func idOf(v any) int64 {
	o, _ := v.(object)
	n, _ := o["id"].(float64)
	return int64(n)
}

// idsOf are the ids of a list of categories, or the list of ids itself.
func idsOf(v any) (ids []int64) {
	for _, element := range v.(array) {
		if n, ok := element.(float64); ok {
			ids = append(ids, int64(n))
		} else {
			ids = append(ids, idOf(element))
		}
	}
	return ids
}

// actions are the calls that a request made to the table.
func (d *desk) actions(r reply) (list []string) {
	for _, c := range d.stack.Gate().Calls(r.RequestID) {
		list = append(list, c.Action)
	}
	return list
}

func (d *desk) setLocales(t testing.TB, locales ...string) {
	t.Helper()
	change := portal.Portal{Account: d.portal.Account, Slug: d.portal.Slug, Locales: locales}
	if _, err := (portal.Store{Table: d.table}).Update(context.Background(), change); err != nil {
		t.Fatal(err)
	}
}

// mustBeWhole checks every invariant of the table.
func (d *desk) mustBeWhole(t testing.TB) {
	t.Helper()
	report, err := check.Run(context.Background(), d.table, append(integrity.Rules, check.Unknown), false, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Faults {
		t.Errorf("broken: %s", f.What)
	}
}

// join makes the agent of a token a member of the desk's portal.
func (d *desk) join(t testing.TB, token string) {
	t.Helper()
	c, _ := credential.Parse(credential.Agent, token)
	if err := (portal.Store{Table: d.table}).AddMember(context.Background(), d.portal, c.ID); err != nil {
		t.Fatal(err)
	}
}
