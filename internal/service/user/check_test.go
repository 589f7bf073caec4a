package user_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/check"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"

	"github.com/guregu/dynamo/v2"
)

// check checks the table. With repair it also repairs.
func (s *stack) check(t testing.TB, repair bool) check.Report {
	t.Helper()
	return s.Check(t, check.Options{Repair: repair, Pause: time.Millisecond})
}

// TestDamageIsReportedAndMended does one kind of damage to a user and its records in each case. A repair mends it, or
// leaves the table exactly as it was.
func TestDamageIsReportedAndMended(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		// drop removes an item, put writes one, and set damages an attribute, all without the rules of the code.
		drop := func(t testing.TB, s *stack, k table.Key) {
			t.Helper()
			if err := s.Table.Delete("PK", k.PK).Range("SK", k.SK).If("attribute_exists(PK)").
				Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		put := func(t testing.TB, s *stack, k table.Key, user id.ID) {
			t.Helper()
			item := object{
				"PK": k.PK, "SK": k.SK, "user": user, "created_at": "2026-01-01T00:00:00Z", "expires_at": 4e9,
			}
			if err := s.Table.Put(item).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		set := func(t testing.TB, s *stack, k table.Key, name string, value any) {
			t.Helper()
			if err := s.Table.UpdateItem(k).Set(name, value).If("attribute_exists(PK)").Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		// stored is a user and its app, and a portal, as each case finds them.
		type stored struct {
			*stack
			app, user id.ID
			handbook  table.Portal
		}
		for name, c := range map[string]struct {
			damage   func(testing.TB, stored)
			want     string
			unmended bool
		}{
			"none": {func(testing.TB, stored) {}, "", false},
			"an e-mail owner is gone": {
				func(t testing.TB, s stored) { drop(t, s.stack, table.Email("ada@example.org")) },
				"lacks its e-mail owner", false,
			},
			// The deletion of a user takes both at once, so this user was lost, and only a backup has it.
			"an e-mail owner without user": {
				func(t testing.TB, s stored) { put(t, s.stack, table.Email("b@example.org"), 4711) },
				`is of user "USER#0000000000004711"/"USER", which does not exist`, true,
			},
			// The owner names a user whose record has another address. Either of the two may be wrong.
			"an e-mail owner of another": {
				func(t testing.TB, s stored) { put(t, s.stack, table.Email("b@example.org"), s.user) },
				"which does not name it", true,
			},
			"a user is gone": {
				func(t testing.TB, s stored) { drop(t, s.stack, table.User(s.user)) },
				"which does not exist", true,
			},
			"a user is gone, whose e-mail owner has a damaged generation": {
				func(t testing.TB, s stored) {
					put(t, s.stack, table.AgentToken(s.user, [32]byte{1}), 0)
					put(t, s.stack, table.LoginToken(s.user, [32]byte{1}), s.user)
					drop(t, s.stack, table.User(s.user))
					set(t, s.stack, table.Email("ada@example.org"), "generation", "x")
				},
				"damaged attributes: generation", true,
			},
			// What is left of a deleted user is told, and user delete ends it. It finds all by the user's own side,
			// which a repair makes again.
			"a permissible link without user": {
				func(t testing.TB, s stored) { put(t, s.stack, table.PermissibleLink(s.app, 4711), 4711) },
				"lacks its linked app", true,
			},
			"a permissible link whose other side is left too": {
				func(t testing.TB, s stored) {
					put(t, s.stack, table.PermissibleLink(s.app, 4711), 4711)
					put(t, s.stack, table.LinkedApp(4711, s.app), 0)
				},
				`user "USER#0000000000004711"/"USER" does not exist, and other items name it`, true,
			},
			"a link of a user who is gone, from the user's side alone": {
				func(t testing.TB, s stored) { put(t, s.stack, table.LinkedApp(4711, s.app), 0) },
				"lacks its permissible link", true,
			},
			"a member who is no user": {
				func(t testing.TB, s stored) { put(t, s.stack, s.handbook.Member(4711), 4711) },
				"lacks its membership", true,
			},
			"a member who is no user, and has the portal among the memberships": {
				func(t testing.TB, s stored) {
					member := s.handbook.Member(4711)
					put(t, s.stack, member, 4711)
					put(t, s.stack, member.Mirror(), 0)
				},
				`user "USER#0000000000004711"/"USER" does not exist, and other items name it`, true,
			},
			"a member of a portal that is gone": {
				func(t testing.TB, s stored) {
					s.AddMember(t, s.handbook, s.user)
					drop(t, s.stack, s.handbook.Key())
					drop(t, s.stack, table.DirectoryEntry(s.handbook.Key()))
				},
				`portal "PORTAL#0000000000000001#handbook"/"PORTAL" does not exist, and other items name it`, true,
			},
			// Apps are never deleted, so a missing one was lost, and its links wait for it.
			"a platform app is gone": {
				func(t testing.TB, s stored) { drop(t, s.stack, table.App(s.app)) },
				"which does not exist", true,
			},
			"a platform app is gone, which has a grant": {
				func(t testing.TB, s stored) {
					if err := s.apps.Grant(t.Context(), s.app, 1); err != nil {
						t.Fatal(err)
					}
					drop(t, s.stack, table.PermissibleLink(s.app, s.user))
					drop(t, s.stack, table.LinkedApp(s.user, s.app))
					drop(t, s.stack, table.App(s.app))
				},
				"does not exist, and other items name it", true,
			},
			"a grant that says it is another's": {
				func(t testing.TB, s stored) {
					if err := s.apps.Grant(t.Context(), s.app, 1); err != nil {
						t.Fatal(err)
					}
					set(t, s.stack, table.Grant(s.app, 1), "account", 2)
				},
				"says that it is the grant of", true,
			},
			"an e-mail owner of another generation": {
				func(t testing.TB, s stored) {
					set(t, s.stack, table.User(s.user), "generation", 7)
				},
				"has generation 7, and e-mail owner", false,
			},
			"a permissible link by which the user does not find it": {
				func(t testing.TB, s stored) { drop(t, s.stack, table.LinkedApp(s.user, s.app)) },
				"lacks its linked app", false,
			},
			"a linked app that is not": {
				func(t testing.TB, s stored) { drop(t, s.stack, table.PermissibleLink(s.app, s.user)) },
				"lacks its permissible link", false,
			},
			"a member who is not one by the portal": {
				func(t testing.TB, s stored) { put(t, s.stack, s.handbook.Membership(s.user), 0) },
				"lacks its member ", false,
			},
			// What a deletion that was interrupted leaves.
			"an agent token without user": {
				func(t testing.TB, s stored) { put(t, s.stack, table.AgentToken(4711, [32]byte{1}), 0) },
				"does not exist, and other items name it", true,
			},
			"a login token without user": {
				func(t testing.TB, s stored) { put(t, s.stack, table.LoginToken(4711, [32]byte{1}), 4711) },
				"does not exist, and other items name it", true,
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t)
				app := s.newApp(t, "app")
				users := &user.Service{Table: s.Table, HashParams: fixture.CheapHash}
				u, err := users.Create(t.Context(), app.app.ID, user.Details{
					Name: "Ada", Email: "Ada@example.org", Password: password,
				})
				if err != nil {
					t.Fatal(err)
				}
				c.damage(t, stored{s, app.app.ID, u.ID, s.NewPortal(t, 1, "handbook", "en")})
				damaged := s.Items(t)
				report := s.check(t, false)
				said := func(f check.Fault) bool { return strings.Contains(f.What, c.want) }
				// The check finds what a case has damaged, and nothing in a sound table.
				if c.want == "" && len(report.Faults) > 0 || c.want != "" && !slices.ContainsFunc(report.Faults, said) {
					t.Errorf("reported %+v, want %q", report.Faults, c.want)
				}
				if repaired := s.check(t, true); (repaired.Unmended() > 0) != c.unmended {
					t.Errorf("repaired %+v", repaired.Faults)
				}
				// A repair only adds to what it cannot mend, and nothing is told without what to do.
				expect.AtLeast(t, len(s.Items(t)), len(damaged), "items after a repair")
				again := s.check(t, false)
				for _, f := range again.Faults {
					expect.Not(t, f.Do, "", f.What+": what to do")
				}
				if len(again.Faults) > 0 != c.unmended {
					t.Errorf("after the repair %+v", again.Faults)
				}
			})
		}
	})
}

// earlier is a table whose scan shows one item as it was earlier.
type earlier struct {
	table.Table
	item dynamo.Item
}

// ScanPage puts the earlier item in the place of the present one.
func (e earlier) ScanPage(ctx context.Context, segment, segments, limit int, after table.Key) (
	items []dynamo.Item, last table.Key, err error,
) {
	items, last, err = e.Table.ScanPage(ctx, segment, segments, limit, after)
	for n, item := range items {
		if table.KeyOf(item) == table.KeyOf(e.item) {
			items[n] = e.item
		}
	}
	return items, last, err
}

// TestAUserIsJudgedAsItIsNow changes a user during the check. The check uses the new address, and a repaired owner of
// the address gets the new generation. With the old one, no sign-in would work.
func TestAUserIsJudgedAsItIsNow(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			change func(context.Context, *user.Service, id.ID) error
			faults int
		}{
			"another address": {
				func(ctx context.Context, users *user.Service, u id.ID) error {
					_, err := users.SetEmail(ctx, u, "b@example.org")
					return err
				}, 0,
			},
			"another password, and the owner of the address is gone": {
				func(ctx context.Context, users *user.Service, u id.ID) error {
					if _, err := users.SetPassword(ctx, u, "another password"); err != nil {
						return err
					}
					return users.Table.DeleteItem(table.Email("ada@example.org")).If("attribute_exists(PK)").Run(ctx)
				}, 1,
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t)
				users := &user.Service{Table: s.Table, HashParams: fixture.CheapHash}
				u, err := users.Create(t.Context(), s.newApp(t, "app").app.ID, user.Details{
					Name: "Ada", Email: "ada@example.org", Password: password,
				})
				if err != nil {
					t.Fatal(err)
				}
				read, err := s.Table.Read(t.Context(), table.User(u.ID))
				if err != nil {
					t.Fatal(err)
				}
				if err := c.change(t.Context(), users, u.ID); err != nil {
					t.Fatal(err)
				}
				report := s.Check(t, check.Options{
					Repair: true, Pause: time.Millisecond, Source: earlier{s.Table, read[table.User(u.ID)]},
				})
				expect.Equal(t, len(report.Faults), c.faults)
				expect.AtMost(t, report.Unmended(), 0)
				s.mustBeWhole(t)
			})
		}
	})
}
