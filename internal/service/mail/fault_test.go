package mail_test

import (
	"math"
	"sync/atomic"

	"frontdesk/internal/develop/local/awsproxy"
)

// between is a fault of calls number first to last of an action. The first call is number 1.
func between(first, last int64, action string, f *awsproxy.Fault) func(awsproxy.Call) *awsproxy.Fault {
	// Calls of one mail run side by side, so the count is atomic. It counts the calls of all requests.
	var calls atomic.Int64
	return func(c awsproxy.Call) *awsproxy.Fault {
		if c.Action != action {
			return nil
		}
		if n := calls.Add(1); n < first || n > last {
			return nil
		}
		return f
	}
}

// nth is a fault of call number n of an action.
func nth(n int64, action string, f *awsproxy.Fault) func(awsproxy.Call) *awsproxy.Fault {
	return between(n, n, action, f)
}

// firstN is a fault of the first n calls of an action.
func firstN(n int64, action string, f *awsproxy.Fault) func(awsproxy.Call) *awsproxy.Fault {
	return between(1, n, action, f)
}

// after is a fault of every call of an action after the first n.
func after(n int64, action string, f *awsproxy.Fault) func(awsproxy.Call) *awsproxy.Fault {
	return between(n+1, math.MaxInt64, action, f)
}

// action is a fault of every call of an action.
func action(name string, f *awsproxy.Fault) func(awsproxy.Call) *awsproxy.Fault {
	return after(0, name, f)
}

// writes is a fault of every write to the table. BatchGetItem is the only read of this function.
func writes(f *awsproxy.Fault) func(awsproxy.Call) *awsproxy.Fault {
	return func(c awsproxy.Call) *awsproxy.Fault {
		if c.Service == "ses" || c.Action == "BatchGetItem" {
			return nil
		}
		return f
	}
}

// ses is a fault of every call of SES.
func ses(f *awsproxy.Fault) func(awsproxy.Call) *awsproxy.Fault { return action("SendEmail", f) }
