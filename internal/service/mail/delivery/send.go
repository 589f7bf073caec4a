package delivery

import (
	"context"
	"time"

	"frontdesk/internal/base/api"
)

// groupsAtOnce is the number of calls that ask SES for groups of one mail in parallel. SES limits the recipients per
// second of an account and throttles the rest; such calls are repeated after a pause.
const groupsAtOnce = 4

// send asks SES for the pending groups in parallel. The record of the mail already says of the first of them, as many
// as begun, that they have begun. The error is internal, and kept some groups from being sent.
func (a *attempt) send(ctx context.Context, pending []int, begun int, messages Messages) error {
	last := lastTry(ctx, a.start) // no attempt of a call begins later
	calls := api.NewGroup()
	calls.SetLimit(groupsAtOnce)
	for n, group := range pending {
		calls.Go(func() error {
			id, why, err := a.sendGroup(ctx, last, group, n < begun, messages)
			a.progress.end(group, id, why)
			return err
		})
	}
	return calls.Wait()
}

// sendGroup asks SES for one group. It returns the id that SES gave it, or why there is none. An error is internal.
func (a *attempt) sendGroup(ctx context.Context, last time.Time, group int, begun bool, messages Messages) (
	id string, why *api.Error, err error,
) {
	if time.Now().After(last) {
		return "", errLate, nil
	}
	to := a.progress.groups[group]
	message, err := messages(group, to)
	if rejected, ok := AsRejected(err); ok {
		return "", unasked(rejected), nil
	}
	if err == nil && !begun {
		err = a.beginWithOthers(ctx, group)
	}
	if err != nil {
		return "", errInternal, err
	}
	id, why = a.ses.send(ctx, last, to.rewritten(), message)
	return id, why, nil
}
