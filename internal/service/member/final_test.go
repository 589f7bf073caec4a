package member_test

import (
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"
)

// TestARefusalIsFinal lets others overtake the addition of a member, so that its second attempt is refused, and then
// take back what they have done. Then the first attempt arrives. Where it makes a member, the answer must have been
// 503.
func TestARefusalIsFinal(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		shared := start(t)
		for name, c := range map[string]struct {
			meanwhile, back func(testing.TB, *stack, id.ID)
			status          int
			applied         bool
		}{
			// The portal gets a category while it is being deleted, so it stays.
			"the portal's deletion begins, and is given up": {
				func(t testing.TB, s *stack, _ id.ID) {
					must(t, s.Table.UpdateItem(s.Portal.Key()).Set("deleting", true).Run(t.Context()))
				},
				func(t testing.TB, s *stack, _ id.ID) {
					must(t, s.Table.UpdateItem(s.Portal.Key()).Remove("deleting").Run(t.Context()))
				}, 503, true,
			},
			"the portal is deleted, and made again": {
				revocations["the portal is deleted"],
				func(t testing.TB, s *stack, _ id.ID) {
					s.NewPortal(t, s.Portal.Account, s.Portal.Slug, "en")
				}, 503, false, // no attribute tells which of the two conditions on the portal has failed
			},
			"the grant is revoked, and given again": {
				revocations["the grant is revoked"],
				func(t testing.TB, s *stack, _ id.ID) {
					must(t, s.apps.Grant(t.Context(), s.App.ID, s.Portal.Account))
				}, 401, false,
			},
			"the app gets another token": {revocations["the app gets another token"], nothing, 401, false},
			"the app is revoked":         {revocations["the app is revoked"], nothing, 401, false},
			"the user is deleted, and imported again": {
				revocations["the user is deleted"],
				func(t testing.TB, s *stack, u id.ID) {
					ada := user.Imported{ID: u, Name: "Ada", Email: "ada@example.org"}
					_, _, err := s.users.Import(t.Context(), ada)
					must(t, err)
					_, err = s.users.ImportLink(t.Context(), s.App.ID, u, s.users.Now())
					must(t, err)
				}, 503, true,
			},
			"the link is lost, and repaired": {
				func(t testing.TB, s *stack, u id.ID) {
					must(t, s.Table.DeleteItem(table.PermissibleLink(s.App.ID, u)).Run(t.Context()))
				},
				func(t testing.TB, s *stack, u id.ID) {
					s.Put(t, user.PermissibleLink{Key: table.PermissibleLink(s.App.ID, u), User: u})
				}, 503, true,
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := shared.withNewTenant(t)
				u := s.newUser(t, s.App.ID)
				var a fixture.Answer
				arrive := s.Overtake(t, func() { a = s.app().add(t, u) }, func() { c.meanwhile(t, s, u) })
				a.Is(t, c.status, nil)
				c.back(t, s, u)
				expect.Equal(t, arrive(), c.applied, "the late transaction is applied")
				expect.Equal(t, s.isMember(t, s.Portal, u), c.applied, "a member")
			})
		}
		shared.MustBeWhole(t)
	})
}

func nothing(testing.TB, *stack, id.ID) {}
