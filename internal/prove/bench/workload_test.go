package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/mail/unsubscribe"
)

type object = fixture.Object

// workload is a program with the requests that measure it.
type workload struct {
	program string
	kind    string // distinguishes workloads of the same program
	// next makes another request that will succeed, and whatever the request needs.
	next func(testing.TB) request
	// undo takes back what a request did; nil for nothing.
	undo func(testing.TB, reply)
}

func (w workload) String() string {
	if w.kind != "" {
		return "function=" + w.program + "/kind=" + w.kind
	}
	return "function=" + w.program
}

// getItem is the workload that the others are compared with.
func (bed *testbed) getItem() workload {
	return repeat(getItem, request{
		method: "GET", path: "/items/{id}", parameters: map[string]string{"id": table.User(bed.Agent.ID).PK},
	})
}

const (
	usersPath  = "/platform/api/v1/users"
	userPath   = usersPath + "/{user_id}"
	signInPath = "/auth/sign_in"

	membersPath = "/platform/api/v1/accounts/{account_id}/portals/{portal_slug}/members"
)

// workloads are the most common requests to every program.
func (bed *testbed) workloads(tb testing.TB) []workload {
	tb.Helper()
	agent := map[string]string{"user_id": bed.Agent.ID.String()}
	bed.Grant(tb, bed.App.ID, bed.Portal.Account)
	member := map[string]string{"account_id": bed.Portal.Account.String(), "portal_slug": bed.Portal.Slug}
	mover := bed.newUser(tb)
	for range 10 {
		bed.newUser(tb)
	}
	show := request{method: "GET", path: userPath, parameters: agent, token: bed.AppToken}
	login := request{method: "GET", path: userPath + "/login", parameters: agent, token: bed.AppToken}
	loginLink := bed.start(tb, "login-link", bed.database())
	listed, changed := bed.startPortal(tb), bed.startPortal(tb)
	for range 10 {
		listed.add(tb, object{"name": "Billing"})
	}
	newest := fmt.Sprint("category-", bed.serial)
	bed.Publish(tb, listed.key, true)
	var reordered []json.Number
	for range 10 {
		reordered = append(reordered, changed.add(tb, object{"name": "Billing"}))
	}
	child := object{"name": "Billing", "parent_category_id": changed.add(tb, object{"name": "Guides"})}
	mail := request{method: "POST", path: "/sender.php", body: object{
		"key": bed.MailKeyText, "recipients": []object{{"email": "ada@example.org", "name": "Ada Lovelace"}},
		"subject": "Neuigkeiten für {NAME}", "html": newsletter().html,
		"placeholders": []object{{"name": "name", "value": "Ada"}}, "config": []string{"subjectplaceholders"},
	}}
	recorder := bed.start(tb, "record-mail-event", bed.database())
	for i := range 20 {
		send(tb, recorder, bed.mailEvent(fmt.Sprintf("0100-%d", i)))
	}
	return []workload{
		repeat(helloWorld, show),
		bed.getItem(),
		repeat("send-mail", mail),
		{program: "send-mail", kind: "sent-once", next: func(testing.TB) request {
			once := mail
			once.idempotencyKey = bed.uniqueName("mail")
			return once
		}},
		{program: "record-mail-event", next: func(testing.TB) request { return bed.mailEvent(bed.uniqueName("0101")) }},
		repeat("show-mail", request{
			method: "GET", path: "/mails/{mail_id}", parameters: map[string]string{"mail_id": "0100-1"},
			token: bed.MailKeyText,
		}),
		repeat("list-mails", request{
			method: "GET", path: "/mails", query: map[string]string{"limit": "10"}, token: bed.MailKeyText,
		}),
		repeat("unsubscribe", bed.unsubscribe(tb)),
		repeat("list-unsubscribes", request{method: "GET", path: "/unsubscribes", token: bed.MailKeyText}),
		listed.list("", nil),
		bed.listNewPublic("from-the-table"),
		listed.listPublic("from-memory"),
		listed.showPublic(newest),
		changed.show(changed.add(tb, child)),
		changed.create(child),
		changed.update("", changed.add(tb, child)),
		changed.reorder(reordered...),
		changed.delete(child),
		{program: "create-user", next: func(testing.TB) request {
			return request{method: "POST", path: usersPath, token: bed.AppToken, body: object{
				"name": "Grace Hopper", "email": bed.uniqueName("grace") + "@example.org", "password": fixture.Password,
			}}
		}},
		repeat("show-user", show),
		{program: "update-user", next: func(testing.TB) request {
			return request{
				method: "PATCH", path: userPath, parameters: agent, token: bed.AppToken,
				body: object{"name": bed.uniqueName("Agent")},
			}
		}},
		{program: "update-user", kind: "of-its-address", next: func(testing.TB) request {
			return request{
				method: "PATCH", path: userPath, parameters: mover, token: bed.AppToken,
				body: object{"email": bed.uniqueName("moved") + "@example.org"},
			}
		}},
		repeat("list-users", request{
			method: "GET", path: usersPath, query: map[string]string{"limit": "10"}, token: bed.AppToken,
		}),
		{program: "delete-user", next: func(tb testing.TB) request {
			return request{method: "DELETE", path: userPath, parameters: bed.newUser(tb), token: bed.AppToken}
		}},
		repeat("create-user-token", request{
			method: "POST", path: userPath + "/token", parameters: agent, token: bed.AppToken,
		}),
		repeat("delete-user-tokens", request{
			method: "DELETE", path: userPath + "/token", parameters: mover, token: bed.AppToken,
		}),
		repeat("list-members", request{method: "GET", path: membersPath, parameters: member, token: bed.AppToken}),
		{program: "add-member", next: func(tb testing.TB) request {
			joins, _ := id.Parse(bed.newUser(tb)["user_id"])
			return request{
				method: "POST", path: membersPath, parameters: member, token: bed.AppToken,
				body: object{"user_id": joins},
			}
		}},
		{program: "remove-member", next: func(tb testing.TB) request {
			left := map[string]string{"user_id": bed.newUser(tb)["user_id"]}
			maps.Copy(left, member)
			return request{method: "DELETE", path: membersPath + "/{user_id}", parameters: left, token: bed.AppToken}
		}},
		repeat("login-link", login),
		{program: "sign-in", kind: "by-password", next: func(testing.TB) request {
			return request{method: "POST", path: signInPath, body: object{
				"email": bed.Agent.Email, "password": fixture.Password,
			}}
		}},
		{program: "sign-in", kind: "by-link", next: func(tb testing.TB) request {
			token := tokenIn(tb, send(tb, loginLink, login))
			return request{method: "POST", path: signInPath, body: object{
				"email": bed.Agent.Email, "sso_auth_token": token,
			}}
		}},
		repeat("login-page", request{
			method: "GET", path: "/app/login",
			query: map[string]string{"email": bed.Agent.Email, "sso_auth_token": "x"},
		}),
		repeat("docs", request{method: "GET", path: "/openapi.json"}),
	}
}

// mailEvent is the event by which SES says that a mail to one recipient was delivered.
func (bed *testbed) mailEvent(mailID string) request { return deliveryEvent(bed.MailKey.ID, mailID) }

// deliveryEvent is SES's event that a mail of a key was delivered, just now.
func deliveryEvent(mailKey id.ID, mailID string) request {
	now := time.Now().UTC()
	event, _ := json.Marshal(object{"source": "aws.ses", "detail": object{
		"eventType": "Delivery",
		"delivery": object{
			"timestamp": now, "recipients": []string{"ada@example.org"}, "smtpResponse": "250 2.6.0 Message received",
		},
		"mail": object{
			"timestamp": now, "messageId": mailID, "source": "sender@example.com",
			"destination": []string{"ada@example.org"}, "commonHeaders": object{"subject": "Neuigkeiten für Ada"},
			"tags": object{"frontdesk-key": []string{mailKey.String()}},
		},
	}})
	return request{raw: event}
}

// unsubscribe is the request by which a mailbox unsubscribes a recipient of the tenant's mails.
func (bed *testbed) unsubscribe(tb testing.TB) request {
	tb.Helper()
	sealer, err := unsubscribe.NewSealer(bed.MailKey.ID, bed.MailKey.Secret)
	if err != nil {
		tb.Fatal(err)
	}
	token := sealer.Seal("news", "ada@example.org")
	return request{
		method: "POST", path: unsubscribe.Path + "{token}", parameters: map[string]string{"token": token},
		form: "List-Unsubscribe=One-Click",
	}
}

// newUser makes a user of the tenant's app, and returns the parameters of its path.
func (bed *testbed) newUser(tb testing.TB) map[string]string {
	tb.Helper()
	u, _ := bed.NewAgent(tb, time.Now().Add(time.Hour))
	link := table.PermissibleLink(bed.App.ID, u)
	for _, item := range []any{struct {
		table.Key
		User id.ID `dynamo:"user"`
	}{link, u}, link.Mirror()} {
		if err := bed.Table.Put(item).Run(tb.Context()); err != nil {
			tb.Fatal(err)
		}
	}
	return map[string]string{"user_id": u.String()}
}

// repeat is a workload that sends the same request again and again.
func repeat(program string, r request) workload {
	return workload{program: program, next: func(testing.TB) request { return r }}
}

// tokenIn returns the login token from an answer of login-link.
func tokenIn(tb testing.TB, link reply) string {
	tb.Helper()
	var made struct{ URL string }
	if err := json.Unmarshal(link.body, &made); err != nil {
		tb.Fatal(err)
	}
	u, err := url.Parse(made.URL)
	if err != nil {
		tb.Fatal(err)
	}
	return u.Query().Get("sso_auth_token")
}
