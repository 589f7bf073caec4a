package category_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/category/portal"
	"frontdesk/internal/credential"
	"frontdesk/internal/id"
)

// TestPermissions is who may do what: every operation with every kind of token on every kind of portal.
func TestPermissions(t *testing.T) {
	d := open(t)
	x := d.named(t, "x", nil)
	elsewhere := d.newPortal(t, 2, "handbook", "en")
	_, stranger := d.newAgent(t, time.Now().Add(time.Hour))
	_, expired := d.newAgent(t, time.Now().Add(-time.Second))
	former, formerToken := d.newAgent(t, time.Now().Add(time.Hour))
	portals := portal.Store{Table: d.table}
	if err := portals.AddMember(t.Context(), d.portal, former); err != nil {
		t.Fatal(err)
	}
	if err := portals.RemoveMember(t.Context(), d.portal, former); err != nil {
		t.Fatal(err)
	}
	good, _ := credential.Parse(credential.Agent, d.agent)
	wrong, _ := credential.Mint(credential.Agent, good.ID)
	unknown, _ := credential.Mint(credential.Agent, id.New())
	otherKind, _ := credential.Mint(credential.PlatformApp, good.ID)

	bodies := map[int]string{}
	for tokenName, c := range map[string]struct {
		token string
		want  int // on the portal
	}{
		"a member's": {d.agent, 200}, "a stranger's": {stranger, 403}, "a former member's": {formerToken, 403},
		"none": {"", 401}, "expired": {expired, 401}, "wrong secret": {wrong, 401}, "unknown": {unknown, 401},
		"another kind": {otherKind, 401}, "malformed": {"fda_x", 401}, "a mail key's form": {"fdm_1_" + strings.Repeat("0", 64), 401},
	} {
		for pathName, p := range map[string]struct {
			path   string
			member bool
		}{
			"the portal":                    {d.path, true},
			"another account's portal":      {pathOf(elsewhere), false},
			"no such portal":                {"/api/v1/accounts/1/portals/nowhere/categories", false},
			"an account that is no integer": {"/api/v1/accounts/one/portals/handbook/categories", false},
			"account 0":                     {"/api/v1/accounts/0/portals/handbook/categories", false},
			"account 01":                    {"/api/v1/accounts/01/portals/handbook/categories", false},
			"a portal too long for a key":   {"/api/v1/accounts/1/portals/" + strings.Repeat("x", 3000) + "/categories", false},
			"a portal with a number sign":   {"/api/v1/accounts/1/portals/hand%23book/categories", false},
		} {
			for i, op := range []struct {
				method, path string
				body         any
			}{
				{"GET", "", nil},
				{"POST", "", object{"category": object{"name": "n", "slug": fmt.Sprintf("s-%d", time.Now().UnixNano())}}},
				{"PUT", fmt.Sprintf("/%d", x), object{"category": object{"name": "m"}}},
				{"DELETE", "/4711", nil},
			} {
				want := c.want
				if want == 200 && !p.member {
					want = 403
				}
				if want == 200 && op.method == "DELETE" {
					want = 404
				}
				r := d.call(t, op.method, p.path+op.path, c.token, op.body)
				if r.HTTP != want {
					t.Errorf("%d: %s of %s with a token that is %s: %d %v, want %d", i, op.method, pathName, tokenName, r.HTTP, r.Body, want)
				}
				if r.HTTP == 401 || r.HTTP == 403 { // the same answer, whatever is the reason
					body := fmt.Sprint(r.Body)
					if bodies[r.HTTP] == "" {
						bodies[r.HTTP] = body
					}
					if body != bodies[r.HTTP] {
						t.Errorf("%d answers %s and %s", r.HTTP, body, bodies[r.HTTP])
					}
				}
			}
		}
	}
}

func TestEveryHeaderFormIsAccepted(t *testing.T) {
	d := open(t)
	for name, value := range map[string]string{"api_access_token": d.agent, "api-access-token": d.agent, "Authorization": "Bearer " + d.agent} {
		request, err := http.NewRequest("GET", d.stack.URL()+d.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header[name] = []string{value}
		response, err := d.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != 200 {
			t.Errorf("%s: %d", name, response.StatusCode)
		}
	}
}
