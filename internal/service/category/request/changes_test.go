package request

import (
	"strings"
	"testing"
	"unicode"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/invisible"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/category/tree"
)

// FuzzChanges shows that any body is refused, or becomes changes that keep all rules.
func FuzzChanges(f *testing.F) {
	f.Add([]byte(`{"category":{"name":"n","slug":"s","locale":"en","position":1,"related_category_ids":[1,2,2]}}`))
	f.Add([]byte(`{"category":{"name":null,"slug":" ",` +
		`"parent_category_id":-1,"associated_category_id":9007199254740993}}`))
	f.Add([]byte(`{"category":{"name":"a\u0085","slug":"s"}}`))
	f.Add([]byte(`{"name":"n","slug":"%2e.","locale":"EN","parent_category_id":1}`))
	f.Add([]byte(`{"category":{"description":"\u0000","related_category_ids":null,"Slug":1}}`))
	p := portal.Portal{Account: 1, Slug: "p", Name: "p", Locales: []string{"en"}, DefaultLocale: "en"}
	key := table.Portal{Account: p.Account, Slug: p.Slug}
	there := func(c id.ID) bool { return c > 0 && c < 10 }
	f.Fuzz(func(t *testing.T, body []byte) {
		r := &api.Request{}
		r.Body = string(body)
		changes, err := DecodeChanges(r)
		if err != nil {
			return
		}
		for self, c := range map[id.ID]Changes{0: changes.ForCreate(), 5: changes} { // a creation, and an update of 5
			if len(c.Linked()) > tree.MaxRelated+2 {
				t.Errorf("reads %d categories", len(c.Linked()))
			}
			if c.Check(self, p, there) != nil {
				continue
			}
			made := c.Apply(tree.Category{ID: self, Name: "old", Slug: "old", Locale: "en"})
			expect.Equal(t, invisible.Blank(made.Name), false)
			expect.Equal(t, strings.ContainsFunc(made.Name, unicode.IsControl),
				false, "made.Name has unicode.IsControl")
			expect.Equal(t, invisible.Blank(made.Slug), false)
			expect.Equal(t, strings.ContainsAny(made.Slug, " /\\?#\n\x00"), false, `made.Slug has any of " /\?#\n\x00"`)
			expect.Equal(t, made.Locale, "en")
			expect.AtMost(t, len(made.Related), tree.MaxRelated)
			seen := map[id.ID]bool{}
			for _, related := range made.Related {
				expect.Equal(t, seen[related], false)
				seen[related] = true
			}
			for _, target := range made.Linked() {
				expect.Equal(t, there(target), true)
				expect.Not(t, target, self)
			}
			expect.Equal(t, key.Category(made.ID).Fits(), true)
			expect.Equal(t, key.SlugOwner(made.Locale, made.Slug).Fits(), true)
		}
	})
}
