// Package registry has all kinds of items. Each feature declares its own, see [table.Kind]. The commands of
// operators that walk the whole table ask it; no function does.
package registry

import (
	"frontdesk/internal/category"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/mail/delivery"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/mail/maillog"
	"frontdesk/internal/mail/unsubscribe"
	"frontdesk/internal/reopen"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
	"frontdesk/internal/user/attempts"
	"frontdesk/internal/user/platformapp"
)

// Kinds returns the kinds of all features, and those of the table itself.
func Kinds() table.Registry {
	return table.NewRegistry(
		ofTheTable(), mailkey.Kinds(), delivery.Kinds(), maillog.Kinds(), unsubscribe.Kinds(),
		platformapp.Kinds(), user.Kinds(), attempts.Kinds(), portal.Kinds(), category.Kinds(),
	)
}

// ofTheTable returns the kinds that belong to no feature.
func ofTheTable() []table.Kind {
	return []table.Kind{
		{
			Name: table.Entry,
			Read: table.DecodeAs[table.Key](nil, nil),
			Agreement: table.Agreement{Pairs: func(s table.Stored) []table.Pair {
				return []table.Pair{{Other: s.Key.Record()}}
			}},
		},
		{
			Name: table.Reopened.Kind(),
			Read: table.DecodeAs(func(table.Key, reopen.Record) table.Key { return table.Reopened }, nil),
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
