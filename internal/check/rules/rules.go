// Package rules collects what must be true of the whole table: the rules of every feature.
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

// All contains the rules of every feature, those of the directory, and the rule that there is nothing else.
var All = slices.Concat([]check.Rule{check.Unknown, check.Directory}, mail.Rules, maillog.Rules, userintegrity.Rules,
	integrity.Rules, []check.Rule{reopening, layout})

// Rules for the records that belong to no feature.
var (
	reopening = check.Kind[reopen.Record]{
		Name: "reopening", Key: func(table.Key, reopen.Record) table.Key { return table.Reopened },
	}.Rule()
	layout = check.Kind[table.LayoutRecord]{
		Name: "layout", Key: func(table.Key, table.LayoutRecord) table.Key { return table.LayoutKey },
	}.Rule()
)
