package bench

import "time"

// The distance between a function and the services, where starts are measured up to the first answer.
const (
	// Distance is how long a byte takes to DynamoDB or SES within a region, and the same for the way back.
	Distance = 2 * time.Millisecond
	// Roots is how many root certificates an image trusts: as many as Debian's.
	Roots = 144
)
