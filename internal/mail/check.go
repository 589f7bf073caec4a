package mail

import (
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// Rules are what holds of the records of mail keys.
var Rules = []check.Rule{
	check.Kind[keyItem]{Name: "mail key", Key: func(_ table.Key, i keyItem) table.Key { return table.MailKey(i.ID) }}.Rule,
}
