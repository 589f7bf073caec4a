package delivery

import (
	"cmp"
	"errors"
	"fmt"

	"frontdesk/internal/mail/rejection"
)

// Outcome says what became of a mail: the ids that SES gave to its groups, and nil if all of them were sent. Else the
// error is a [rejection.Error] that says how many recipients the mail has reached, and what of the others.
//
// Outcome is told of an error that has kept the attempt from being delivered, nil for none. It gives that error back
// unless earlier attempts have sent some of the mail: then it is the reason for the others.
func (a *Attempt) Outcome(err error) (ids []string, _ error) {
	if a.lost {
		return a.outcome()
	}
	if rejected, ok := errors.AsType[*rejection.Error](err); ok && a.groups != nil && a.resumed() {
		a.failPending(&failure{
			own: !rejected.Outage, code: rejected.Code, reason: rejected.Reason, cause: cmp.Or(rejected.Cause, "rule"),
		})
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return a.outcome()
}

func (a *Attempt) outcome() (ids []string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var (
		reached         int
		unsent, unknown unreached
	)
	for i, group := range a.groups {
		switch g := a.record.Groups[groupName(i)]; {
		case g.State == groupSent:
			ids = append(ids, g.ID)
			reached += group.recipients()
		case g.State == groupBegun:
			unknown.add(group, a.failures[i], errDied)
		default:
			unsent.add(group, a.failures[i], errInternal)
		}
	}
	switch {
	case unsent.recipients == 0 && unknown.recipients == 0:
		return ids, nil
	case reached == 0 && unknown.recipients == 0:
		return nil, unsent.rejection()
	case reached == 0 && unsent.recipients == 0:
		return nil, unknown.rejection()
	}
	partly := &rejection.Error{
		Code:   rejection.UnknownOutcome,
		Reason: fmt.Sprintf("the mail reached %d of %d recipients", reached, recipientsOf(a.groups)),
		Cause:  "partly", Outage: true,
	}
	if unsent.recipients > 0 {
		partly.Code = rejection.PartlySent
		partly.Cause += ", " + unsent.rejection().Cause
		partly.Reason += fmt.Sprintf("; it was not sent to %d: %s", unsent.recipients, unsent.why.reason)
	}
	if unknown.recipients > 0 {
		partly.Cause += ", " + unknown.rejection().Cause
		partly.Reason += fmt.Sprintf("; it may or may not have been sent to %d: %s",
			unknown.recipients, unknown.why.reason)
	}
	return ids, partly
}

// unreached counts recipients that a mail has not reached, or may not have.
type unreached struct {
	recipients int
	why        *failure // of the first group, which is for the mail's sender
	outage     *failure // the first one that is for the operator; nil for none
}

// rejection is for a mail that has reached nobody: all of its recipients are here.
func (u *unreached) rejection() *rejection.Error {
	rejected := u.why.rejection()
	if u.outage != nil {
		rejected.Cause, rejected.Outage = u.outage.cause, true
	}
	return rejected
}

// add adds a group. If it is not known why, the reason is otherwise.
func (u *unreached) add(group Envelope, why, otherwise *failure) {
	u.recipients += group.recipients()
	if why == nil {
		why = otherwise
	}
	if u.why == nil {
		u.why = why
	}
	if u.outage == nil && why.outage() {
		u.outage = why
	}
}
