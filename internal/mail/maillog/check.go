package maillog

import (
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// Rules check that each item of the log can be read. An event may be there without its mail's entry, because DynamoDB
// deletes expired items one by one.
var Rules = []check.Rule{
	check.Kind[eventItem]{Name: "event of a mail", Key: func(k table.Key, _ eventItem) table.Key { return k }}.Rule(),
	check.Kind[entry]{Name: "mail in a log", Key: func(k table.Key, _ entry) table.Key { return k }}.Rule(),
}
