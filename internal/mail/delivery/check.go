package delivery

import (
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// Rules check the stored idempotency records: each must decode. Its key cannot be checked, because the record has
// nothing else that the key follows from.
var Rules = []check.Rule{
	check.Kind[record]{Name: "idempotency record", Key: func(k table.Key, _ record) table.Key { return k }}.Rule(),
}
