package main

import (
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/operate/transfer"
)

// TestTheTreeOracleFindsWhatAnExportLacks, has twice, or has in another place. It ignores ids and order.
func TestTheTreeOracleFindsWhatAnExportLacks(t *testing.T) {
	portal := transfer.Portal{Account: 9, Slug: "tree", Name: "tree", Locales: []string{"en"}, DefaultLocale: "en"}
	category := func(n, parent, related id.ID) transfer.Category {
		c := transfer.Category{Account: 9, Portal: "tree", Name: "x", Locale: "en"}
		c.ID, c.Parent, c.Slug = transfer.IDOf(n), transfer.IDOf(parent), string(rune('a'+n%10))
		if related != 0 {
			c.Related = append(c.Related, transfer.IDOf(related))
		}
		return c
	}
	user := transfer.User{ID: "1", Name: "Member", Email: "member@example.org"}
	member := transfer.Member{Account: 9, Portal: "tree", User: "1"}
	imported := []transfer.Record{portal, category(1, 0, 0), category(2, 1, 1), user, member}
	for name, c := range map[string]struct {
		exported []transfer.Record
		want     string
	}{
		"the same":         {imported, ""},
		"with other ids":   {[]transfer.Record{user, member, category(12, 11, 11), portal, category(11, 0, 0)}, ""},
		"without a member": {[]transfer.Record{portal, category(1, 0, 0), category(2, 1, 1), user}, "and imported was"},
		"without a link": {
			[]transfer.Record{portal, category(1, 0, 0), category(2, 1, 0), user, member}, "and imported was",
		},
		"with another parent": {
			[]transfer.Record{portal, category(1, 0, 0), category(2, 0, 1), user, member}, "and imported was",
		},
		"with a category twice": {append(imported[:5:5], category(2, 1, 1)), "and imported was"},
	} {
		t.Run(name, func(t *testing.T) {
			tree := &importedTree{slug: "tree", records: imported}
			var found violations
			tree.check(fileOf(c.exported), &found)
			found.want(t, c.want)
		})
	}
	t.Run("cut off", func(t *testing.T) {
		file := fileOf(imported)
		var found violations
		(&importedTree{slug: "tree", records: imported}).check(file[:len(file)/2], &found)
		found.want(t, "cannot be read")
	})
}
