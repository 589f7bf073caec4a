package local

import "time"

// SetLimits shortens the waits that no test has the time for.
func SetLimits(o *Options, integration, init time.Duration) {
	o.limits = limits{integration: integration, init: init}
}

// MaxEvent and MaxResult are Lambda's payload limits, in bytes.
const (
	MaxEvent  = maxEvent
	MaxResult = maxResult
)

// AsParent is the variable that makes the test binary a parent of children and nothing else.
const AsParent = "LOCAL_TEST_PARENT"
