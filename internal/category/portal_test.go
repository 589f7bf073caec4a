package category_test

import (
	"fmt"
	"sync"
	"testing"

	"frontdesk/internal/category"
)

// TestTwoOperatorsChangeAPortal: each another field, at the same time.
func TestTwoOperatorsChangeAPortal(t *testing.T) {
	t.Parallel()
	d := open(t)
	portals := category.Portals{Table: d.table}
	for round := range 20 {
		name, locales := fmt.Sprintf("name %d", round), []string{"en", fmt.Sprintf("x%c", 'a'+round)}
		var wg sync.WaitGroup
		for _, change := range []category.Portal{{Name: name}, {Locales: locales}} {
			change.Account, change.Slug = d.portal.Account, d.portal.Slug
			wg.Go(func() {
				if _, err := portals.Update(t.Context(), change); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if p, err := portals.Get(t.Context(), d.portal); err != nil || p.Name != name || p.Locales[1] != locales[1] {
			t.Errorf("round %d: %+v, %v", round, p, err)
		}
	}
}
