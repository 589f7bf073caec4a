package portal_test

import (
	"fmt"
	"sync"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/category/portal"
)

// TestOperatorsChangeAPortal lets three operators change different fields of a portal at once. All changes stay.
func TestOperatorsChangeAPortal(t *testing.T) {
	t.Parallel()
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
}

// TestASlugFromBeforeARuleStays shows that a portal can be changed although its slug would be refused today.
func TestASlugFromBeforeARuleStays(t *testing.T) {
	t.Parallel()
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
}
