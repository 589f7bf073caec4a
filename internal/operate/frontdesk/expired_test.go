package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/table"
	"frontdesk/internal/base/table/itemjson"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/attempts"

	"github.com/guregu/dynamo/v2"
)

// TestWhatHasExpiredIsGone, although DynamoDB deletes it days later. It goes through all kinds of item that expire:
// those of which the items of the layout have the attribute.
func TestWhatHasExpiredIsGone(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t)
		tenant := o.NewTenant(t)
		key, text, err := mailkey.Keys{Table: o.Table}.Create(t.Context(), mailkey.Key{
			Name: "key", From: []string{"example.com"}, Daily: 10,
		})
		if err != nil {
			t.Fatal(err)
		}
		variables := variablesOf(t, o.file)
		variables["MAIL_KEY"] = text
		setVariables(t, o.file, variables)
		send := func(content string) fixture.Answer {
			return o.Call(t, fixture.To("sendMail"), http.Header{"Idempotency-Key": {"once"}}, fixture.Object{
				"key": text, "subject": "Hi", "text": content, "sender": fixture.Object{"email": "a@example.com"},
				"recipients": fixture.Array{fixture.Object{"email": "ada@example.org"}},
			})
		}
		sent := send("Hello")
		mail, _ := sent.Body["id"].(string)
		sent.Is(t, http.StatusOK, fixture.Object{"status": "success"})
		settle(o)
		signIn := func(field, secret string) bool {
			a := o.Call(t, fixture.To("signIn"), nil, fixture.Object{"email": tenant.Agent.Email, field: secret})
			return a.Status == http.StatusOK
		}
		login := func(at func(credential.Digest) table.Key) string {
			token, digest := credential.Mint(credential.Login, tenant.Agent.ID)
			app, _ := credential.Parse(credential.PlatformApp, tenant.AppToken)
			item := user.Login{
				Key: at(digest), User: tenant.Agent.ID, App: tenant.App.ID, AppDigest: app.Digest[:],
				ExpiresAt: time.Now().Add(time.Hour),
			}
			if err := o.Table.Put(item).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			return token
		}
		fresh := func(d credential.Digest) table.Key { return table.LoginToken(tenant.Agent.ID, d) }
		links := []string{login(fresh), login(fresh)} // each works once
		again := login(func(d credential.Digest) table.Key { return table.UnansweredLogin(tenant.Agent.ID, d) })
		cases := map[string]func() bool{
			"idempotency record": func() bool { return send("Another").Status == http.StatusUnprocessableEntity },
			"day of a mail key": func() bool {
				_, used, err := mailkey.Keys{Table: o.Table}.Used(t.Context(), key.ID, time.Now())
				return used > 0 || err != nil
			},
			"event of a mail": func() bool {
				a := o.Call(t, fixture.To("getMail", mail), fixture.Token(text), nil)
				_, err := o.frontdesk("mail", "show", mail)
				expect.Equal(t, err == nil, a.Status == http.StatusOK, "mail show shows it")
				return a.Status == http.StatusOK
			},
			"mail in a log": func() bool {
				a := o.Call(t, fixture.To("listMails"), fixture.Token(text), nil)
				mails, _ := a.Body["payload"].([]any)
				expect.Len(t, printed[[]any](o, "mail", "list"), len(mails), "mail list shows")
				return len(mails) > 0
			},
			"agent token": func() bool {
				a := o.Call(t, fixture.To("listCategories", tenant.Portal), fixture.Token(tenant.AgentToken), nil)
				return a.Status == http.StatusOK
			},
			"unanswered login": func() bool { return signIn("sso_auth_token", again) },
			"login token": func() bool {
				link := links[0]
				links = links[1:]
				return signIn("sso_auth_token", link)
			},
			"sign-in attempts": func() bool {
				for range attempts.MaxFromNetwork {
					signIn("password", "wrong password")
				}
				return !signIn("password", fixture.Password)
			},
		}
		expect.Equal(t, slices.Sorted(maps.Keys(cases)), expiring(t), "kinds")
		for kind, shown := range cases {
			expect.Equal(t, shown(), true, kind+" counts")
			if kind == "sign-in attempts" { // looking would count new ones
				shown = func() bool { return !signIn("password", fixture.Password) }
			}
			expire(o, kind)
			expect.Equal(t, shown(), false, kind+" counts when it has expired")
		}
		o.MustBeWhole(t)
	})
}

// expire sets the time of all items of a kind back. It fails if none has one.
func expire(o *shell, kind string) {
	o.Helper()
	settle(o)
	n := 0
	for _, item := range o.Items(o.TB) {
		if k := fixture.KeyOf(o.TB, item); k.Kind() == kind {
			past := o.Table.UpdateItem(k).Set(table.ExpiresAt, time.Now().Unix()).If("attribute_exists(expires_at)")
			if err := past.Run(o.Context()); err != nil {
				o.Errorf("expire %s: %v", k, err)
			}
			n++
		}
	}
	expect.AtLeast(o.TB, n, 1, "items that are a "+kind)
}

// settle waits until all events of mails are recorded.
func settle(o *shell) {
	o.Helper()
	if err := o.Lambda().Settle(o.Context()); err != nil {
		o.Fatal(err)
	}
}

// expiring returns the kinds of item that expire, sorted.
func expiring(t testing.TB) (kinds []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/layout-2.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var document itemjson.Document
		if err := json.Unmarshal([]byte(line), &document); err != nil {
			t.Fatal(err)
		}
		if item := dynamo.Item(document); item[table.ExpiresAt] != nil {
			kinds = append(kinds, table.KeyOf(item).Kind())
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}
