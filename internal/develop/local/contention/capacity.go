package contention

import (
	"strings"
	"time"

	"frontdesk/internal/develop/local/awsform"
	"frontdesk/internal/develop/local/dynamodb"
)

// capacity tracks the units that partitions have left, as a token bucket for each.
type capacity struct {
	rate    float64 // units per second; 0 means no limit
	buckets map[string]*bucket
}

// bucket is what one partition has left, as of a time. It is filled only when it is used.
type bucket struct {
	units float64 // below zero after an operation that consumed more than was left
	at    time.Time
}

// newCapacity returns a capacity in which every partition has a full second's units.
func newCapacity(rate float64) capacity { return capacity{rate, map[string]*bucket{}} }

// bucket returns the bucket of a partition, filled up to now. It never holds more than a second's units.
func (c capacity) bucket(partition string) *bucket {
	now := time.Now()
	b := c.buckets[partition]
	if b == nil {
		// A partition that was never used has as much as one that rested: both are full.
		b = &bucket{c.rate, now}
		c.buckets[partition] = b
	}
	b.units, b.at = min(c.rate, b.units+c.rate*now.Sub(b.at).Seconds()), now
	return b
}

// take takes units from a partition, if it has as many.
func (c capacity) take(partition string, units float64) bool {
	if c.rate == 0 {
		return true
	}
	b := c.bucket(partition)
	// Not below zero: only what an answer turns out to have consumed may be owed.
	if b.units < units {
		return false
	}
	b.units -= units
	return true
}

// capacity returns which capacity an operation uses, and the least that it consumes for each item: twice as much in a
// transaction. What it consumes beyond that depends on the sizes of items, which only the answer tells.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
func (d *Database) capacity(c call) (available capacity, least float64) {
	available, least = d.write, 1
	// Half a unit, because a read is eventually consistent unless it asks for more, and then its answer tells the rest.
	// A Scan has no items here, and is never throttled.
	if dynamodb.Reads(c.operation) {
		available, least = d.read, 0.5
	}
	if strings.HasPrefix(c.operation, "Transact") {
		least *= 2
	}
	return available, least
}

// throttled is the message of a table on demand.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
const throttled = "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling " +
	"your table or index so please try again shortly. If exceptions persist, check if you have a hot key: " +
	"https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html."

// admit takes the least that a call consumes, or refuses the call and takes nothing. The caller holds the lock.
func (d *Database) admit(c call) *awsform.Error {
	available, least := d.capacity(c)
	for i, item := range c.items {
		if available.take(item.Partition, least) {
			continue
		}
		// A call is charged for all of its items or for none. So what was taken is given back.
		for _, taken := range c.items[:i] {
			available.take(taken.Partition, -least)
		}
		if strings.HasPrefix(c.operation, "Transact") {
			return cancelled(len(c.items), "ThrottlingError", throttled, i)
		}
		return badRequest("ThrottlingException", throttled)
	}
	return nil
}

// charge takes what a call consumed beyond the least, in equal parts for its items. The units may fall below zero: then
// the partition is throttled until they are earned.
func (d *Database) charge(c call, a *answer) {
	units := dynamodb.Capacity(a.body.Bytes())
	if units == 0 || len(c.items) == 0 {
		// A failed condition consumes the least only.
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	available, least := d.capacity(c)
	// The least was taken before the call.
	consumed := units - least*float64(len(c.items))
	for _, item := range c.items {
		if available.rate != 0 {
			available.bucket(item.Partition).units -= consumed / float64(len(c.items))
		}
	}
}
