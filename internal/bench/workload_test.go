package bench

import (
	"encoding/json"
	"net/url"
	"testing"

	"frontdesk/internal/table"
)

type object = map[string]any

// usage is a program with the requests that it is measured by.
type usage struct {
	program string
	kind    string // tells it from other usages of the same program
	// next is another request, which is answered with success. What it needs is made with it.
	next func(testing.TB) request
	// undo, unless it is nil, takes back what a request did.
	undo func(testing.TB, reply)
}

func (u usage) String() string {
	if u.kind != "" {
		return "function=" + u.program + "/kind=" + u.kind
	}
	return "function=" + u.program
}

// getsItem is what the others are measured beside.
func (d *desk) getsItem() usage {
	return always(getItem, request{method: "GET", path: "/items/{id}", parameters: map[string]string{"id": table.User(d.user.ID).PK}})
}

const (
	usersPath  = "/platform/api/v1/users"
	userPath   = usersPath + "/{user_id}"
	signInPath = "/auth/sign_in"
)

// usual is what every program is asked most of the time.
func (d *desk) usual(tb testing.TB) []usage {
	tb.Helper()
	ada := map[string]string{"user_id": d.user.ID.String()}
	show := request{method: "GET", path: userPath, parameters: ada, token: d.platform}
	login := request{method: "GET", path: userPath + "/login", parameters: ada, token: d.platform}
	loginLink := d.start(tb, "login-link", d.database())
	small, h := d.newHandbook(tb), d.newHandbook(tb)
	for range 10 {
		small.add(tb, object{"name": "Billing"})
	}
	child := object{"name": "Billing", "parent_category_id": h.add(tb, object{"name": "Guides"})}
	mail := request{method: "POST", path: "/sender.php", body: object{
		"key": d.mailKey, "recipients": []object{{"email": "ada@example.org", "name": "Ada Lovelace"}},
		"subject": "Neuigkeiten für {NAME}", "html": newsletter().html, "placeholders": []object{{"name": "name", "value": "Ada"}},
	}}
	return []usage{
		always(helloWorld, show),
		d.getsItem(),
		always("send-mail", mail),
		{program: "send-mail", kind: "sent-once", next: func(testing.TB) request {
			once := mail
			once.idempotencyKey = d.fresh("mail")
			return once
		}},
		small.lists(),
		h.creates(child),
		h.updates("", h.add(tb, child)),
		h.deletes(child),
		{program: "create-user", next: func(testing.TB) request {
			return request{method: "POST", path: usersPath, token: d.platform, body: object{
				"name": "Grace Hopper", "email": d.fresh("grace") + "@example.org", "password": password,
			}}
		}},
		always("show-user", show),
		{program: "update-user", next: func(testing.TB) request {
			return request{method: "PATCH", path: userPath, parameters: ada, token: d.platform, body: object{"name": d.fresh("Ada")}}
		}},
		always("login-link", login),
		{program: "sign-in", kind: "by-password", next: func(testing.TB) request {
			return request{method: "POST", path: signInPath, body: object{"email": d.user.Email, "password": password}}
		}},
		{program: "sign-in", kind: "by-link", next: func(tb testing.TB) request {
			token := tokenIn(tb, send(tb, loginLink, login))
			return request{method: "POST", path: signInPath, body: object{"email": d.user.Email, "sso_auth_token": token}}
		}},
		always("login-page", request{method: "GET", path: "/app/login", query: map[string]string{"email": d.user.Email, "sso_auth_token": "x"}}),
		always("docs", request{method: "GET", path: "/openapi.json"}),
	}
}

// always asks a program the same again and again.
func always(program string, r request) usage {
	return usage{program: program, next: func(testing.TB) request { return r }}
}

// tokenIn is the login token in an answer of login-link.
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
