package maillog

import (
	"frontdesk/internal/base/table"
)

// Kinds declares the events of mails, and the mails in a log. An event may be there without its mail's entry, because
// DynamoDB deletes expired items one by one. It is for operators.
func Kinds() []table.ItemKind {
	return []table.ItemKind{
		{
			Name:    table.MailEvent("", "").Kind(),
			Read:    table.DecodeAs[eventItem](nil, nil),
			Privacy: table.Privacy{Forget: forgetEvent},
		},
		{
			Name:    table.LoggedMail(0, 0, "").Kind(),
			Read:    table.DecodeAs[entry](nil, nil),
			Privacy: table.Privacy{Forget: forgetEntry},
		},
	}
}
