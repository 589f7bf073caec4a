package maillog

import (
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// Rules are what holds of the log's items: each can be read. DynamoDB deletes them one by one, so that an event may be
// there without its mail's entry.
var Rules = []check.Rule{
	check.Kind[eventItem]{Name: "event of a mail", Key: func(k table.Key, _ eventItem) table.Key { return k }}.Rule(),
	check.Kind[entry]{Name: "mail in a log", Key: func(k table.Key, _ entry) table.Key { return k }}.Rule(),
}
