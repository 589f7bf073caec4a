// Package rules collects what every feature says about access that has ended.
package rules

import (
	"slices"

	"frontdesk/internal/category/portal"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/mail/unsubscribe"
	"frontdesk/internal/reopen"
	"frontdesk/internal/user"
	"frontdesk/internal/user/platformapp"
)

// All returns the rules of every feature.
func All() []reopen.Rule {
	return slices.Concat(mailkey.Revived(), unsubscribe.Revived(),
		platformapp.Revived(), user.Revived(), portal.Revived())
}
