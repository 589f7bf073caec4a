package mail

import (
	"slices"

	"frontdesk/internal/check"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/table"
)

// Rules are what holds of the records of mail keys and of what they are used for.
var Rules = slices.Concat(mailkey.Rules, []check.Rule{
	check.Kind[record]{Name: "idempotency record", Key: func(k table.Key, _ record) table.Key { return k }}.Rule,
})
