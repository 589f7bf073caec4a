package unsubscribe

import (
	"frontdesk/internal/address"
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// Rules check that each item can be read, and has the key under which a mail looks for it.
var Rules = []check.Rule{
	check.Kind[item]{
		Name: "unsubscribe",
		Key: func(_ table.Key, i item) table.Key {
			normal, _ := address.Normal(i.Email) // "" for none, which no mail is to
			return Subscription{MailKey: i.MailKey, List: i.List, Recipient: normal}.key()
		},
		Lacks: func(i item) string {
			if i.By != ByLink && i.By != ByOperator {
				return "by"
			}
			return ""
		},
	}.Rule(),
}
