package member_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/platformapp"
)

type object = fixture.Object

// stack is a running stack with a tenant. The tenant's app has the grant of the portal's account. The tenant's agent is
// a user of the app, and a member by an operator.
type stack struct {
	*fixture.Stack
	fixture.Tenant
	apps    platformapp.Store
	portals portal.Store
	users   *user.Service
}

func start(t testing.TB, change ...func(*local.Options)) *stack {
	t.Helper()
	s := &stack{Stack: fixture.Start(t, change...)}
	s.Tenant = s.NewTenant(t)
	s.apps.Table = s.Table
	s.portals = portal.Store{Table: s.Table, Settle: time.Millisecond}
	s.users = &user.Service{Table: s.Table, HashParams: fixture.CheapHash}
	s.Stack.Grant(t, s.App.ID, s.Portal.Account)
	return s
}

// withNewTenant returns the stack with another tenant, whose app keeps the members of its portal.
func (s *stack) withNewTenant(t testing.TB) *stack {
	t.Helper()
	other := *s
	other.Tenant = s.NewClient(t).Tenant
	return &other
}

// newUser makes a user that an app is linked to.
func (s *stack) newUser(t testing.TB, app id.ID) id.ID {
	t.Helper()
	d := user.Details{Name: "Ada", Email: fmt.Sprintf("user-%d@example.org", id.New()), Password: fixture.Password}
	u, err := s.users.Create(t.Context(), app, d)
	if err != nil {
		t.Fatal(err)
	}
	return u.ID
}

// as is an app that calls the endpoints of a portal's members.
type as struct {
	*stack
	portal table.Portal
	token  string
}

func (s *stack) app() as { return as{s, s.Portal, s.AppToken} }

func (a as) call(t testing.TB, to fixture.Target, body any) fixture.Answer {
	t.Helper()
	return a.Call(t, to, fixture.Token(a.token), body)
}

func (a as) add(t testing.TB, user any) fixture.Answer {
	t.Helper()
	return a.call(t, fixture.To("createMember", a.portal), object{"user_id": user})
}

func (a as) remove(t testing.TB, user any) fixture.Answer {
	t.Helper()
	return a.call(t, fixture.To("deleteMember", a.portal, user), nil)
}

func (a as) list(t testing.TB, query string) fixture.Answer {
	t.Helper()
	return a.call(t, fixture.To("listMembers", a.portal).Query(query), nil)
}

// listed returns the members in an answer, and its cursor.
func listed(t testing.TB, a fixture.Answer) (users []id.ID, next string) {
	t.Helper()
	a.Is(t, http.StatusOK, nil)
	var page struct {
		Payload []struct {
			User id.ID `json:"user_id"`
		}
		Meta struct {
			Next string `json:"next_cursor"`
		}
	}
	a.Decode(t, &page)
	for _, m := range page.Payload {
		users = append(users, m.User)
	}
	return users, page.Meta.Next
}

// isMember reports what the table says. Both sides of a membership must be there, or none.
func (s *stack) isMember(t testing.TB, p table.Portal, user id.ID) bool {
	t.Helper()
	items, err := s.Table.Read(t.Context(), p.Member(user), p.Membership(user))
	if err != nil {
		t.Fatal(err)
	}
	if len(items) == 1 {
		t.Errorf("one side of the membership of %d alone is there", user)
	}
	return len(items) == 2
}

// signIn returns an agent token of a user.
func (s *stack) signIn(t testing.TB, of id.ID) string {
	t.Helper()
	text, _, err := user.Tokens{Table: s.Table}.Create(t.Context(), of, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
