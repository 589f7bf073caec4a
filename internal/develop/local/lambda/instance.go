package lambda

import (
	"errors"
	"time"

	"frontdesk/internal/develop/local/samtemplate"
)

// instance is a running copy of a function: a process, or a function in this process. It serves one invocation at a
// time.
type instance interface {
	// init waits until it can serve. It kills an instance that cannot, or not within limit.
	init(limit time.Duration) error
	// invoke passes an event to it, and waits for the result and until it is idle again: only then the invocation is
	// over. It kills an instance that takes longer than the function's Timeout. If the error is [errGone], the instance
	// has not seen the event.
	invoke(*pending) ([]byte, error)
	// idle reports whether it is waiting for an event.
	idle() bool
	// kill ends it, and waits until it has ended.
	kill()
	ended() <-chan struct{}
	// err is why it has ended.
	err() error
	// token is its AWS_SESSION_TOKEN, by which the AWS proxy finds to which request a call belongs.
	token() string
	// serving returns API Gateway's id and the tracing header of the request that it is serving, or "" twice.
	serving() (requestID, trace string)
}

// errGone means that an instance ended before it got the event, so another one can have it.
var errGone = errors.New("the process has ended")

// start starts a function: its program of [Config.Programs], or else its bootstrap.
func start(c Config, f samtemplate.Function) (instance, error) {
	if c.Programs != nil {
		return startInProcess(c, f), nil
	}
	return startProcess(c, f)
}

// functionName combines the stack's name and the logical id. CloudFormation would add a random part.
func functionName(v samtemplate.Values, f samtemplate.Function) string {
	return v.StackName + "-" + f.LogicalID
}

func functionARN(v samtemplate.Values, f samtemplate.Function) string {
	return v.ARN("lambda", "function:"+functionName(v, f))
}
