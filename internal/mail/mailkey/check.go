package mailkey

import (
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// Rules check the records of mail keys, what their quotas count, and who was forgotten.
var Rules = []check.Rule{
	check.Kind[keyItem]{
		Name: "mail key", Key: func(_ table.Key, i keyItem) table.Key { return table.MailKey(i.ID) },
		Lacks: func(i keyItem) string {
			if _, err := i.redirect(); err != nil {
				return "good redirect"
			}
			return ""
		},
	}.Rule(),
	check.Kind[Forgotten]{
		Name: "forgotten person", Key: func(k table.Key, _ Forgotten) table.Key { return k },
	}.Rule(),
	check.Kind[dayItem]{
		Name: "day of a mail key", Key: func(k table.Key, _ dayItem) table.Key { return k },
	}.Rule(),
}
