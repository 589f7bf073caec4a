package dynamodb

import (
	"bytes"
	"encoding/json"
)

// AskForCapacity returns a call whose answer tells how many capacity units it took.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ConsumedCapacity.html
func AskForCapacity(call []byte) []byte {
	if bytes.Contains(call, []byte(`"ReturnConsumedCapacity"`)) {
		return call
	}
	return bytes.Replace(call, []byte("{"), []byte(`{"ReturnConsumedCapacity":"TOTAL",`), 1)
}

// Capacity returns the units that an answer tells, or 0 if it tells none. Operations on one table tell one number, and
// the others a list.
func Capacity(answer []byte) (units float64) {
	type consumed struct{ CapacityUnits float64 }
	var one struct{ ConsumedCapacity consumed }
	if json.Unmarshal(answer, &one) == nil {
		return one.ConsumedCapacity.CapacityUnits
	}
	var several struct{ ConsumedCapacity []consumed }
	_ = json.Unmarshal(answer, &several) // whatever else it is tells none
	for _, c := range several.ConsumedCapacity {
		units += c.CapacityUnits
	}
	return units
}

// Reads reports whether an operation takes read units. All others take write units.
func Reads(operation string) bool {
	switch operation {
	case "GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan":
		return true
	}
	return false
}
