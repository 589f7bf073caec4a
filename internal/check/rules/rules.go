// Package rules is what must hold of the whole table: what every feature says of its items, together.
package rules

import (
	"slices"

	"frontdesk/internal/category/integrity"
	"frontdesk/internal/check"
	"frontdesk/internal/mail"
	"frontdesk/internal/mail/maillog"
	"frontdesk/internal/reopen"
	"frontdesk/internal/table"
	userintegrity "frontdesk/internal/user/integrity"
)

// All are the rules of every feature, of the directory, and that there is nothing else.
var All = slices.Concat([]check.Rule{check.Unknown, check.Directory}, mail.Rules, maillog.Rules, userintegrity.Rules,
	integrity.Rules, []check.Rule{reopening, layout})

// The records that are of no feature.
var (
	reopening = check.Kind[reopen.Record]{
		Name: "reopening", Key: func(table.Key, reopen.Record) table.Key { return table.Reopened },
	}.Rule()
	layout = check.Kind[table.LayoutRecord]{
		Name: "layout", Key: func(table.Key, table.LayoutRecord) table.Key { return table.LayoutKey },
	}.Rule()
)
