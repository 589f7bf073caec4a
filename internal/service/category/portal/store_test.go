package portal_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/portal"
)

// TestOperatorsChangeAPortal lets three operators change different fields of a portal at once. All changes stay.
func TestOperatorsChangeAPortal(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t, fixture.WithoutFunctions(t))
		handbook := stack.NewPortal(t, 1, "handbook", "en")
		portals := portal.Store{Table: stack.Table}
		for round := range 20 {
			name, locales := fmt.Sprintf("name %d", round), []string{"en", fmt.Sprintf("x%c", 'a'+round)}
			var wg sync.WaitGroup
			public := round%2 == 0
			wg.Go(func() {
				change := portal.Portal{Account: handbook.Account, Slug: handbook.Slug}
				if _, err := portals.Update(t.Context(), change, &public); err != nil {
					t.Error(err)
				}
			})
			for _, change := range []portal.Portal{{Name: name}, {Locales: locales}} {
				change.Account, change.Slug = handbook.Account, handbook.Slug
				wg.Go(func() {
					if _, err := portals.Update(t.Context(), change, nil); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			what := fmt.Sprintf("round %d: ", round)
			p, err := portals.Get(t.Context(), handbook)
			if err != nil {
				t.Fatalf("%s%v", what, err)
			}
			expect.Equal(t, p.Name, name, what)
			expect.Equal(t, p.Locales[1], locales[1], what)
			expect.Equal(t, p.Public, public, what)
		}
	})
}

// TestAnOperatorIsToldWhatIsFinal lets another operator overtake a change of a portal, so that its second attempt is
// refused, and then take back what was done. Then the first attempt arrives. Where it succeeds, the operator must have
// been told that nobody knows.
func TestAnOperatorIsToldWhatIsFinal(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t, fixture.WithoutFunctions(t))
		other := portal.Store{Table: stack.Table, Settle: time.Millisecond}
		rename := func(t testing.TB, key table.Portal, name string) {
			_, err := other.Update(t.Context(), portal.Portal{Account: key.Account, Slug: key.Slug, Name: name}, nil)
			must(t, err)
		}
		for i, c := range []struct {
			name            string
			change          func(context.Context, portal.Store, table.Portal) error
			meanwhile, back func(testing.TB, table.Portal)
			unknown         bool // the operator is told so
			applied         bool // the late transaction is
		}{
			{
				"an update, and another name for a while",
				func(ctx context.Context, s portal.Store, key table.Portal) error {
					change := portal.Portal{Account: key.Account, Slug: key.Slug, Locales: []string{"en", "fr"}}
					_, err := s.Update(ctx, change, nil)
					return err
				},
				func(t testing.TB, key table.Portal) { rename(t, key, "Other") },
				func(t testing.TB, key table.Portal) { rename(t, key, key.Slug) },
				true, true,
			},
			{
				"a deletion, and the portal is another one by now",
				func(ctx context.Context, s portal.Store, key table.Portal) error {
					_, err := s.Delete(ctx, key, false)
					return err
				},
				func(t testing.TB, key table.Portal) {
					_, err := other.Delete(t.Context(), key, false)
					must(t, err)
				},
				func(t testing.TB, key table.Portal) { stack.NewPortal(t, key.Account, key.Slug, "en") },
				false, false,
			},
		} {
			localtest.Case(t, c.name, func(t testing.TB) {
				key := stack.NewPortal(t, 1, fmt.Sprint("portal-", i), "en")
				rename(t, key, key.Slug)
				var err error
				change := func(in table.Table) {
					err = c.change(t.Context(), portal.Store{Table: in, Settle: time.Millisecond}, key)
				}
				arrive := stack.OvertakeOperator(t, change, func() { c.meanwhile(t, key) })
				expect.Not(t, err, nil)
				expect.Equal(t, errors.Is(err, table.ErrUnknown), c.unknown, fmt.Sprintf("%v is unknown", err))
				c.back(t, key)
				expect.Equal(t, arrive(), c.applied, "the late transaction is applied")
			})
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// TestASlugFromBeforeARuleStays shows that a portal can be changed although its slug would be refused today.
func TestASlugFromBeforeARuleStays(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t, fixture.WithoutFunctions(t))
		for _, slug := range []string{"..", "a\u200bb", "cafe\u0301"} {
			old := portal.Portal{Account: 1, Slug: slug, Name: "Old", Locales: []string{"en"}, DefaultLocale: "en"}
			record := struct {
				table.Key
				portal.Portal
			}{old.Key().Key(), old}
			if err := stack.Table.Put(record).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			change := portal.Portal{Account: 1, Slug: slug, Name: "New"}
			p, err := portal.Store{Table: stack.Table}.Update(t.Context(), change, nil)
			if err != nil {
				t.Fatalf("%s: %v", slug, err)
			}
			expect.Equal(t, p.Name, "New", slug)
		}
	})
}
