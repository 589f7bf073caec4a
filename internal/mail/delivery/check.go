package delivery

import (
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// Rules check the stored idempotency records. Each must decode. Its key follows from an Idempotency-Key that the
// record does not store, so the key is not checked.
var Rules = []check.Rule{
	check.Kind[record]{Name: "idempotency record", Key: func(k table.Key, _ record) table.Key { return k }}.Rule(),
}
