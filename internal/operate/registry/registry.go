// Package registry has all kinds of items. Each feature declares its own, see [table.ItemKind]. The commands of
// operators that walk the whole table ask it; no function does.
package registry

import (
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/restore"
	"frontdesk/internal/service/category"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/mail/delivery"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/mail/maillog"
	"frontdesk/internal/service/mail/unsubscribe"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/attempts"
	"frontdesk/internal/service/user/platformapp"
)

// Kinds returns the kinds of all features, and those of the table itself.
func Kinds() table.Registry {
	return table.NewRegistry(
		ofTheTable(), mailkey.Kinds(), delivery.Kinds(), maillog.Kinds(), unsubscribe.Kinds(),
		platformapp.Kinds(), user.Kinds(), attempts.Kinds(), portal.Kinds(), category.Kinds(),
	)
}

// ofTheTable returns the kinds that belong to no feature.
func ofTheTable() []table.ItemKind {
	return []table.ItemKind{
		{
			Name: table.Entry,
			Read: table.DecodeAs[table.Key](nil, nil),
			Agreement: table.Agreement{Pairs: func(s table.Stored) []table.Pair {
				return []table.Pair{{Other: s.Key.Record()}}
			}},
		},
		{
			Name: table.Reopened.Kind(),
			Read: table.DecodeAs(func(table.Key, restore.Record) table.Key { return table.Reopened }, nil),
			Privacy: table.Privacy{
				Retained: "it is the name of a list: reopen the table again from another file",
			},
		},
		{
			Name: table.LayoutKey.Kind(),
			Read: table.DecodeAs(func(table.Key, table.LayoutRecord) table.Key { return table.LayoutKey }, nil),
		},
	}
}
