package bench

import "time"

// WholeCore is the MemorySize in MB that buys the whole time of one core. Less memory buys a part of it.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
const WholeCore = 1769

// The distance between a function and the services, where starts are measured up to the first answer.
const (
	// Distance is how long a byte takes to DynamoDB or SES within a region, and the same for the way back.
	Distance = 2 * time.Millisecond
	// Roots is how many root certificates an image trusts: as many as Debian's.
	Roots = 144
)
