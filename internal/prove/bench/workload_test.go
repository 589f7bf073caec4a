package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/fixture"
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
		Target: fixture.At("GET", "/items/"+url.PathEscape(table.User(bed.Agent.ID).PK)),
	})
}

// workloads are the most common requests to every program. A program that has none here is measured by its first row of
// [fixture.Requests].
func (bed *testbed) workloads(tb testing.TB) []workload {
	tb.Helper()
	bed.Grant(tb, bed.App.ID, bed.Portal.Account)
	bed.Publish(tb, bed.Portal, true)
	mover := bed.newUser(tb)
	for range 10 {
		bed.newUser(tb)
	}
	show := signed(fixture.To("getUser", bed.Agent.ID), bed.AppToken, nil)
	login := signed(fixture.To("createLoginLink", bed.Agent.ID), bed.AppToken, nil)
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
	mail := request{Target: fixture.To("sendMail"), Body: object{
		"key": bed.MailKeyText, "recipients": []object{{"email": "ada@example.org", "name": "Ada Lovelace"}},
		"subject": "Neuigkeiten für {NAME}", "html": newsletter().html,
		"placeholders": []object{{"name": "name", "value": "Ada"}}, "config": []string{"subjectplaceholders"},
	}}
	recorder := bed.start(tb, "record-mail-event", bed.database())
	for i := range 20 {
		send(tb, recorder, bed.mailEvent(fmt.Sprintf("0100-%d", i)))
	}
	list := []workload{
		repeat(helloWorld, show),
		bed.getItem(),
		repeat("send-mail", mail),
		{program: "send-mail", kind: "sent-once", next: func(testing.TB) request {
			once := mail
			once.Header = http.Header{"Idempotency-Key": {bed.uniqueName("mail")}}
			return once
		}},
		{program: "record-mail-event", next: func(testing.TB) request { return bed.mailEvent(bed.uniqueName("0101")) }},
		repeat("list-mails", signed(fixture.To("listMails").Query("?limit=10"), bed.MailKeyText, nil)),
		repeat("unsubscribe", bed.unsubscribe(tb)),
		listed.list("", ""),
		bed.listNewPublic("from-the-table"),
		listed.listPublic("from-memory"),
		listed.showPublic(newest),
		changed.show(changed.add(tb, child)),
		changed.create(child),
		changed.update("", changed.add(tb, child)),
		changed.reorder(reordered...),
		changed.delete(child),
		{program: "update-user", next: func(testing.TB) request {
			to := fixture.To("updateUser", bed.Agent.ID)
			return signed(to, bed.AppToken, object{"name": bed.uniqueName("Agent")})
		}},
		{program: "update-user", kind: "of-its-address", next: func(testing.TB) request {
			to := fixture.To("updateUser", mover)
			return signed(to, bed.AppToken, object{"email": bed.uniqueName("moved") + "@example.org"})
		}},
		repeat("list-users", signed(fixture.To("listUsers").Query("?limit=10"), bed.AppToken, nil)),
		{program: "delete-user", next: func(tb testing.TB) request {
			return signed(fixture.To("deleteUser", bed.newUser(tb)), bed.AppToken, nil)
		}},
		{program: "sign-in", kind: "by-password", next: func(testing.TB) request {
			return request{Target: fixture.To("signIn"), Body: object{
				"email": bed.Agent.Email, "password": fixture.Password,
			}}
		}},
		{program: "sign-in", kind: "by-link", next: func(tb testing.TB) request {
			link := fixture.AnswerOf(login.Path, http.StatusOK, nil, string(send(tb, loginLink, login).body))
			return request{Target: fixture.To("signIn"), Body: object{
				"email": bed.Agent.Email, "sso_auth_token": fixture.LoginToken(link),
			}}
		}},
	}
	for _, r := range fixture.Requests {
		if !slices.ContainsFunc(list, func(w workload) bool { return w.program == r.Program() }) {
			list = append(list, bed.row(tb, r))
		}
	}
	return list
}

// row is a workload that sends a row of [fixture.Requests]: what reads again and again, all else once for each that is
// prepared, outside of the measured time.
func (bed *testbed) row(tb testing.TB, r fixture.Request) workload {
	tb.Helper()
	prepare := func(tb testing.TB) request {
		return (&fixture.Client{Stack: bed.Stack, Tenant: bed.Tenant, T: tb}).Prepared(r)
	}
	if r.OnlyReads() {
		return repeat(r.Program(), prepare(tb))
	}
	return workload{program: r.Program(), next: prepare}
}

// mailEvent is the event by which SES says that a mail to one recipient was delivered.
func (bed *testbed) mailEvent(mailID string) request {
	return request{Event: fixture.DeliveryEvent(bed.MailKey.ID, mailID)}
}

// unsubscribe is the request by which a mailbox unsubscribes a recipient of the tenant's mails.
func (bed *testbed) unsubscribe(tb testing.TB) request {
	tb.Helper()
	token, err := bed.UnsubscribeToken("ada@example.org")
	if err != nil {
		tb.Fatal(err)
	}
	return request{
		Target: fixture.To("createUnsubscribe", token), Body: "List-Unsubscribe=One-Click",
		Header: fixture.Form,
	}
}

// newUser makes a user of the tenant's app.
func (bed *testbed) newUser(tb testing.TB) id.ID {
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
	return u
}

// repeat is a workload that sends the same request again and again.
func repeat(program string, r request) workload {
	return workload{program: program, next: func(testing.TB) request { return r }}
}
