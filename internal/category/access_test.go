package category_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/category/portal"
	"frontdesk/internal/credential"
	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// TestPermissions shows who may do what: it tries every operation with every kind of token on every kind of portal.
func TestPermissions(t *testing.T) {
	p := start(t)
	x := p.create(t, "x", nil)
	other := p.NewPortal(t, 2, "handbook", "en")
	_, stranger := p.NewAgent(t, time.Now().Add(time.Hour))
	_, expired := p.NewAgent(t, time.Now().Add(-time.Second))
	former, formerToken := p.NewAgent(t, time.Now().Add(time.Hour))
	p.AddMember(t, p.portal, former)
	if err := (portal.Store{Table: p.Table}).RemoveMember(t.Context(), p.portal, former); err != nil {
		t.Fatal(err)
	}
	ended, endedToken := p.NewAgent(t, time.Now().Add(time.Hour))
	p.AddMember(t, p.portal, ended)
	deleted, deletedToken := p.NewAgent(t, time.Now().Add(time.Hour))
	p.AddMember(t, p.portal, deleted)
	// The end of all tokens raises the user's generation, and a deletion removes the record. The tokens' own records
	// stay here, as when a process died in between.
	if err := p.Table.UpdateItem(table.User(ended)).Add("generation", 1).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.Table.DeleteItem(table.User(deleted)).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Tokens that differ from the member's in one part: secret, id, kind.
	good, _ := credential.Parse(credential.Agent, p.agent)
	wrong, _ := credential.Mint(credential.Agent, good.ID)
	unknown, _ := credential.Mint(credential.Agent, id.New())
	otherKind, _ := credential.Mint(credential.PlatformApp, good.ID)
	tokens := map[string]struct {
		token string
		want  int // on the portal
	}{
		"a member's":        {p.agent, 200},
		"a stranger's":      {stranger, 403},
		"a former member's": {formerToken, 403},
		"none":              {"", 401},
		"expired":           {expired, 401},
		"ended":             {endedToken, 401},
		"a deleted user's":  {deletedToken, 401},
		"wrong secret":      {wrong, 401},
		"unknown":           {unknown, 401},
		"another kind":      {otherKind, 401},
		"with Bearer":       {"Bearer " + p.agent, 401},
		"malformed":         {"fda_x", 401},
		"a mail key's form": {"fdm_1_" + strings.Repeat("0", 64), 401},
	}
	const account1 = "/api/v1/accounts/1/portals/"
	paths := map[string]struct {
		path   string
		member bool
	}{
		"the portal":                    {p.path, true},
		"another account's portal":      {fixture.CategoriesPath(other), false},
		"no such portal":                {account1 + "nowhere/categories", false},
		"an account that is no integer": {"/api/v1/accounts/one/portals/handbook/categories", false},
		"account 0":                     {"/api/v1/accounts/0/portals/handbook/categories", false},
		// One portal has one address: another spelling of the number is none.
		"account 01": {"/api/v1/accounts/01/portals/handbook/categories", false},
		// DynamoDB takes 2,048 bytes for a partition key. Such a portal does not exist, and is no fault of ours.
		"a portal too long for a key": {account1 + strings.Repeat("x", 3000) + "/categories", false},
		// The table's keys have # between their parts.
		"a portal with a number sign": {account1 + "hand%23book/categories", false},
	}
	operations := []struct {
		method, rest string
		body         func() any
	}{
		{"GET", "", func() any { return nil }},
		{"POST", "", func() any {
			slug := fmt.Sprintf("s-%d", time.Now().UnixNano())
			return object{"category": object{"name": "n", "slug": slug}}
		}},
		{"PUT", fmt.Sprintf("/%d", x), func() any { return object{"category": object{"name": "m"}} }},
		{"DELETE", "/4711", func() any { return nil }},
		{"GET", fmt.Sprintf("/%d", x), func() any { return nil }},
		{"POST", "/reorder", func() any { return object{"positions_hash": object{fmt.Sprint(x): 1}} }},
	}

	bodies := map[int]string{} // of 401 and 403
	for tokenName, c := range tokens {
		for pathName, of := range paths {
			for i, op := range operations {
				want := c.want
				if want == 200 && !of.member {
					want = 403
				}
				// The deletion names a category that does not exist, so that x stays for the other operations.
				if want == 200 && op.method == "DELETE" {
					want = 404
				}
				to := testPortal{Stack: p.Stack, path: of.path}
				r := to.sendAs(t, c.token, op.method, op.rest, op.body())
				if r.Status != want {
					t.Errorf("%d: %s of %s with a token that is %s: %d %v, want %d",
						i, op.method, pathName, tokenName, r.Status, r.Body, want)
				}
				// One answer for each status, so that nobody learns from it whether a portal or a token exists.
				if r.Status == 401 || r.Status == 403 {
					body := fmt.Sprint(r.Body)
					if bodies[r.Status] == "" {
						bodies[r.Status] = body
					}
					if body != bodies[r.Status] {
						t.Errorf("%d answers %s and %s", r.Status, body, bodies[r.Status])
					}
				}
			}
		}
	}
}

// TestEveryHeaderFormIsAccepted shows the three ways to send a token. The one with hyphens exists because some servers
// drop header names with an underscore.
func TestEveryHeaderFormIsAccepted(t *testing.T) {
	p := start(t)
	for name, value := range map[string]string{
		"api_access_token": p.agent,
		"api-access-token": p.agent,
		"Authorization":    "Bearer " + p.agent,
	} {
		if r := p.Call(t, "GET", p.path, http.Header{name: {value}}, nil); r.Status != 200 {
			t.Errorf("%s: %d", name, r.Status)
		}
	}
}
