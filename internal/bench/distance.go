package bench

import "time"

// What stands between a function and its first answer, where starts are measured until then.
const (
	// Distance is how long a byte takes to DynamoDB or SES within a region, and as long back.
	Distance = 2 * time.Millisecond
	// Roots is how many certificates an image trusts: as many as Debian's.
	Roots = 144
)
