package delivery

import (
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// Rules are what holds of the records of idempotency keys.
var Rules = []check.Rule{
	check.Kind[record]{Name: "idempotency record", Key: func(k table.Key, _ record) table.Key { return k }}.Rule(),
}
