// Package rules is what every feature says of access that has ended, together.
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

// All are the rules of every feature.
func All() []reopen.Rule {
	return slices.Concat(mailkey.Revived(), unsubscribe.Revived(),
		platformapp.Revived(), user.Revived(), portal.Revived())
}
