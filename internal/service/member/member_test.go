package member_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/platformapp"
)

// TestAnAppKeepsMembers shows that a member keeps categories and a former member does not. Repeating a request
// changes nothing.
func TestAnAppKeepsMembers(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app, ada := s.app(), s.newUser(t, s.App.ID)
		keeps := func(status int) {
			t.Helper()
			s.Call(t, fixture.To("listCategories", s.Portal), fixture.Token(s.signIn(t, ada)), nil).Is(t, status, nil)
		}
		keeps(http.StatusForbidden)
		added := app.add(t, ada)
		added.Is(t, http.StatusOK, object{"user_id": float64(ada)})
		keeps(http.StatusOK)
		// Clients repeat what got no answer, so a repetition is no error.
		again := app.add(t, ada)
		expect.Equal(t, again.Raw, added.Raw, "the answer to another POST")
		keeps(http.StatusOK)
		users, next := listed(t, app.list(t, ""))
		expect.Equal(t, fmt.Sprint(users), fmt.Sprint([]id.ID{s.Agent.ID, ada}), "the list")
		expect.Equal(t, next, "", "the cursor")
		removed := app.remove(t, ada)
		removed.Is(t, http.StatusOK, nil)
		expect.Equal(t, removed.Raw, "{}", "the answer to DELETE")
		keeps(http.StatusForbidden)
		expect.Equal(t, app.remove(t, ada).Raw, removed.Raw, "the answer to another DELETE")
		s.MustBeWhole(t)
	})
}

// TestWhoMadeAMembership shows that the operator's count has only the memberships that the app made, and that an app
// can end those of others, too.
func TestWhoMadeAMembership(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app, ada := s.app(), s.newUser(t, s.App.ID)
		other := s.NewPortal(t, 2, "other", "en")
		madeIn := func(account id.ID) int {
			t.Helper()
			n, err := s.portals.CountMadeBy(t.Context(), s.App.ID, account)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		app.add(t, s.Agent.ID).Is(t, http.StatusOK, nil)
		expect.Equal(t, madeIn(1), 0, "made, when the operator has made the member before")
		app.add(t, ada).Is(t, http.StatusOK, nil)
		if err := s.portals.AddMember(t.Context(), s.Portal, ada); err != nil {
			t.Fatal(err)
		}
		s.AddMember(t, other, ada)
		expect.Equal(t, madeIn(1), 1, "made in account 1")
		expect.Equal(t, madeIn(2), 0, "made in account 2")
		expect.Equal(t, madeIn(0), 1, "made in all")
		app.remove(t, s.Agent.ID).Is(t, http.StatusOK, nil)
		expect.Equal(t, s.isMember(t, s.Portal, s.Agent.ID), false, "the operator's member is one after DELETE")
		s.MustBeWhole(t)
	})
}

// TestWhoMayNotKeepMembers shows that a portal that ends, and a user in a body whom the app may not make a member, get
// the same answer. Package matrix has the callers, and what a path names.
func TestWhoMayNotKeepMembers(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		ada := s.newUser(t, s.App.ID)
		other, _, err := s.apps.Create(t.Context(), platformapp.App{Name: "other"})
		if err != nil {
			t.Fatal(err)
		}
		foreign := s.newUser(t, other.ID)
		deleted := s.newUser(t, s.App.ID)
		// As an interrupted deletion does.
		if err := s.Table.DeleteItem(table.User(deleted)).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		// A portal whose deletion was interrupted.
		going := s.NewPortal(t, 1, "going", "en")
		if err := s.Table.UpdateItem(going.Key()).Set("deleting", true).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		// A member whom the app is not linked to: it must not end this membership.
		s.AddMember(t, s.Portal, foreign)
		cases := map[string]struct {
			portal table.Portal
			user   any
		}{
			"a portal that is being deleted":  {going, ada},
			"a user whom the app has no link": {s.Portal, foreign},
			"a user who is deleted":           {s.Portal, deleted},
			"a user whom there is not":        {s.Portal, 7},
			"an id that is none":              {s.Portal, -1},
		}
		var first string
		for name, c := range cases {
			app := as{s, c.portal, s.AppToken}
			answers := map[string]fixture.Answer{"POST": app.add(t, c.user), "DELETE": app.remove(t, c.user)}
			if c.user == ada { // a list names no user
				answers["GET"] = app.list(t, "")
				answers["POST of no JSON"] = app.call(t, fixture.To("createMember", c.portal), "{")
				answers["GET with a bad limit"] = app.list(t, "?limit=x")
			}
			for method, a := range answers {
				what := name + ", " + method + ": "
				expect.Equal(t, a.Status, http.StatusUnauthorized, what+"status")
				if first == "" {
					first = a.Raw
				}
				expect.Equal(t, a.Raw, first, what+"body")
				expect.AtMost(t, len(s.Actions(a)), 1, what+"calls of DynamoDB")
			}
		}
		expect.Equal(t, s.isMember(t, s.Portal, ada), false, "ada is a member")
		expect.Equal(t, s.isMember(t, s.Portal, foreign), true, "the other app's user is a member")
	})
}

// TestUnknownFieldsOfMembersAreNamed in warnings, such as a role: there are none.
func TestUnknownFieldsOfMembersAreNamed(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.app()
		a := app.call(t, fixture.To("createMember", s.Portal), object{"user_id": s.Agent.ID, "role": "admin"})
		a.Is(t, http.StatusOK, nil)
		expect.Contains(t, a.Raw, `"warnings":["unknown field role is ignored"]`, "answer")
		expect.Lacks(t, app.add(t, s.Agent.ID).Raw, "warnings", "answer without one")
	})
}

// TestMalformedRequests shows the errors that an app with the right to ask gets.
func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.app()
		add, list := fixture.To("createMember", s.Portal), fixture.To("listMembers", s.Portal)
		for name, c := range map[string]struct {
			to      fixture.Target
			body    any
			status  int
			message string
		}{
			"no JSON":                  {add, "{", 400, "body is not valid JSON"},
			"no object":                {add, "[]", 400, "body must be one JSON object"},
			"an id in quotation marks": {add, object{"user_id": "7"}, 400, "user_id must be an integer"},
			"an id with a fraction":    {add, `{"user_id":7.5}`, 400, "user_id must be an integer"},
			"an id over 2^53-1":        {add, object{"user_id": 1 << 53}, 400, "must be an integer of"},
			"no id":                    {add, object{}, 422, "User id can't be blank"},
			"a null":                   {add, object{"user_id": nil}, 422, "User id can't be blank"},
			"a body of 5 kB":           {add, object{"x": strings.Repeat("x", 5000)}, 413, ""},
			"limit 0":                  {list.Query("?limit=0"), nil, 400, "limit must be an integer from 1 to 100"},
			"limit 101":                {list.Query("?limit=101"), nil, 400, "limit must be an integer from 1 to 100"},
			"a cursor of no page":      {list.Query("?cursor=x"), nil, 400, "cursor must be the next_cursor of"},
		} {
			a := app.call(t, c.to, c.body)
			expect.Equal(t, a.Status, c.status, name+": status")
			message, _ := a.Body["message"].(string)
			expect.Contains(t, message, c.message, name)
		}
	})
}

// TestAListShowsLinkedUsersAlone walks a list page by page. Each cursor names a user who was shown.
func TestAListShowsLinkedUsersAlone(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.app()
		p := s.NewPortal(t, 1, "crowded", "en")
		app.portal = p
		users, _ := listed(t, app.list(t, ""))
		expect.Len(t, users, 0, "members of a portal that has none")
		expect.Contains(t, app.list(t, "").Raw, `"payload":[]`, "the empty list")
		var linked []id.ID
		var items []any
		for i := range 230 {
			of := id.New()
			key, link := p.Member(of), table.PermissibleLink(s.App.ID, of)
			items = append(items, portal.Membership{Key: key, User: of}, key.Mirror(), table.User(of))
			if i > 60 && i%3 > 0 { // the first page of members has none
				linked = append(linked, of)
				items = append(items, user.PermissibleLink{Key: link, User: of}, link.Mirror())
			}
		}
		s.Put(t, items...)
		for _, limit := range []int{7, 32, 100} { // the first 48 members that are read have 32
			var walked []id.ID
			for cursor := ""; ; {
				page, next := listed(t, app.list(t, fmt.Sprintf("?limit=%d&cursor=%s", limit, cursor)))
				walked = append(walked, page...)
				if next == "" {
					break
				}
				expect.Len(t, page, limit, fmt.Sprintf("limit %d: a page before the last", limit))
				last, err := base64.RawURLEncoding.DecodeString(next)
				if err != nil {
					t.Fatal(err)
				}
				expect.Equal(t, string(last), page[len(page)-1].String(), "the cursor names")
				cursor = next
			}
			if !slices.Equal(walked, linked) {
				t.Errorf("limit %d: walked %d members, want %d", limit, len(walked), len(linked))
			}
		}
	})
}

// TestAListEndsAmongStrangers shows that a page looks at a bounded number of members. It goes on at the app's links,
// even when these lead to users who are no members, and so does its cursor.
func TestAListEndsAmongStrangers(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.app()
		app.portal = s.NewPortal(t, 1, "crowded", "en")
		// 17 groups of 50 strangers, each followed by a linked user who is no member.
		const groups = 17
		for range groups {
			s.AddStrangers(t, app.portal, 50)
			of := id.New()
			link := table.PermissibleLink(s.App.ID, of)
			s.Put(t, user.PermissibleLink{Key: link, User: of}, link.Mirror())
		}
		ada := s.newUser(t, s.App.ID)
		s.AddMember(t, app.portal, ada)
		s.AddStrangers(t, app.portal, 60) // behind the last link: nobody reads them
		var walked []id.ID
		pages := 0
		for cursor := ""; pages == 0 || cursor != ""; pages++ {
			page, next := listed(t, app.list(t, "?cursor="+cursor))
			walked = append(walked, page...)
			cursor = next
			if cursor == "" {
				break
			}
			text, err := base64.RawURLEncoding.DecodeString(cursor)
			if err != nil {
				t.Fatal(err)
			}
			before, _ := id.Parse(string(text))
			linked, err := s.Table.Read(t.Context(), table.PermissibleLink(s.App.ID, before+1))
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, len(linked), 1, "links behind the cursor of a page")
		}
		if !slices.Equal(walked, []id.ID{ada}) {
			t.Errorf("walked %v, want %v", walked, ada)
		}
		expect.Equal(t, pages, groups/8, "pages before the last")
	})
}
