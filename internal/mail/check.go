package mail

import (
	"slices"

	"frontdesk/internal/mail/delivery"
	"frontdesk/internal/mail/mailkey"
)

// Rules are what holds of the records of mail keys and of what they are used for.
var Rules = slices.Concat(mailkey.Rules, delivery.Rules)
