package contention

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"frontdesk/internal/local/awserror"
)

// capacity is what is left of the units of a second, by partition.
type capacity struct {
	rate float64 // units a second; 0: without limit
	left map[string]*bucket
}

type bucket struct {
	units float64 // below zero: consumed before their time
	at    time.Time
}

func newCapacity(rate float64) capacity { return capacity{rate, map[string]*bucket{}} }

// of is what a partition has now.
func (c capacity) of(partition string) *bucket {
	now := time.Now()
	b := c.left[partition]
	if b == nil {
		b = &bucket{c.rate, now}
		c.left[partition] = b
	}
	b.units, b.at = min(c.rate, b.units+c.rate*now.Sub(b.at).Seconds()), now
	return b
}

// take takes units, or nothing if there are not as many.
func (c capacity) take(partition string, units float64) bool {
	if c.rate == 0 {
		return true
	}
	b := c.of(partition)
	if b.units < units {
		return false
	}
	b.units -= units
	return true
}

// capacity is what an operation consumes, and the least for each item: twice as much in a transaction. How much it was,
// by the sizes of the items, is known with the answer.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
func (d *Database) capacity(c call) (of capacity, least float64) {
	of, least = d.write, 1
	if strings.Contains(c.operation, "Get") || c.operation == "Query" {
		of, least = d.read, 0.5
	}
	if strings.HasPrefix(c.operation, "Transact") {
		least *= 2
	}
	return of, least
}

// throttled is what a table on demand says.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
const throttled = "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling " +
	"your table or index so please try again shortly. If exceptions persist, check if you have a hot key: " +
	"https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html."

// admit takes the least that a call consumes, or refuses it. The lock is the caller's.
func (d *Database) admit(c call) *awserror.Error {
	of, least := d.capacity(c)
	for i, item := range c.items {
		if of.take(item.Partition, least) {
			continue
		}
		for _, taken := range c.items[:i] {
			of.take(taken.Partition, -least)
		}
		if strings.HasPrefix(c.operation, "Transact") {
			return cancelled(len(c.items), "ThrottlingError", throttled, i)
		}
		return badRequest("ThrottlingException", throttled)
	}
	return nil
}

// charge takes what a call has consumed beyond the least, in equal parts of each item.
func (d *Database) charge(c call, a *answer) {
	var out struct{ ConsumedCapacity json.RawMessage }
	if json.Unmarshal(a.body.Bytes(), &out) != nil || len(out.ConsumedCapacity) == 0 || len(c.items) == 0 {
		return // a condition that failed consumes, too
	}
	if !bytes.HasPrefix(out.ConsumedCapacity, []byte("[")) { // an operation on one table
		out.ConsumedCapacity = append(append([]byte("["), out.ConsumedCapacity...), ']')
	}
	var tables []struct{ CapacityUnits float64 }
	_ = json.Unmarshal(out.ConsumedCapacity, &tables)
	d.mu.Lock()
	defer d.mu.Unlock()
	of, least := d.capacity(c)
	consumed := -least * float64(len(c.items))
	for _, table := range tables {
		consumed += table.CapacityUnits
	}
	for _, item := range c.items {
		if of.rate != 0 {
			of.of(item.Partition).units -= consumed / float64(len(c.items))
		}
	}
}
