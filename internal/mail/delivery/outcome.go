package delivery

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/rejection"
)

// Outcome says what became of a mail: the ids that SES gave to its groups, and nil if all of them were sent. Else the
// error is a [rejection.Error] that says how many recipients the mail has reached, and what of the others. Where each
// recipient is a group, the ids are in their order, with "" for those who were not sent it or may not have been, and
// the error names these; there are no ids if nobody was.
//
// Outcome is told of an error that has kept the attempt from being delivered, nil for none. It gives that error back
// unless earlier attempts have sent some of the mail: then it is the reason for the others.
func (a *Attempt) Outcome(err error) (ids []string, _ error) {
	if a.unsettled {
		return nil, errUnsettled
	}
	if a.lost {
		return a.outcome()
	}
	if rejected, ok := errors.AsType[*rejection.Error](err); ok && a.groups != nil && a.resumed() {
		a.failPending(unasked(rejected))
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return a.outcome()
}

// errUnsettled is for a request that does not know what its record says: the first answer that is final has to be the
// one that later requests are told.
var errUnsettled = api.Errorf(api.Unavailable,
	"Not available at the moment, please try again with the same Idempotency-Key")

func (a *Attempt) outcome() (ids []string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	reached := 0
	unsent, unknown := unreached{separate: a.separate}, unreached{separate: a.separate}
	for i, group := range a.groups {
		g := a.record.Groups[groupName(i)]
		switch {
		case g.State == groupSent:
			reached += group.recipients()
		case g.State == groupBegun:
			unknown.add(i, group, a.failures[i], errDied)
		default:
			unsent.add(i, group, a.failures[i], errInternal)
		}
		if g.State == groupSent || a.separate {
			ids = append(ids, g.ID)
		}
	}
	switch {
	case unsent.recipients == 0 && unknown.recipients == 0:
		return ids, nil
	case reached == 0 && unknown.recipients == 0:
		return nil, unsent.rejection()
	case reached == 0 && unsent.recipients == 0:
		return nil, unknown.rejection()
	case reached == 0:
		ids = nil
	}
	partly := &rejection.Error{
		Code:   rejection.UnknownOutcome,
		Reason: fmt.Sprintf("the mail reached %d of %d recipients", reached, recipientsOf(a.groups)),
		Cause:  "partly", Outage: true,
	}
	if unsent.recipients > 0 {
		partly.Code = rejection.PartlySent
		partly.Cause += ", " + unsent.rejection().Cause
		partly.Reason += unsent.describe("it was not sent to")
	}
	if unknown.recipients > 0 {
		partly.Cause += ", " + unknown.rejection().Cause
		partly.Reason += unknown.describe("it may or may not have been sent to")
	}
	return ids, partly
}

// unreached are recipients that a mail has not reached, or may not have.
type unreached struct {
	separate   bool // each group is one recipient
	recipients int
	reasons    []reason // in the order of the groups
	outage     *failure // the first one that is for the operator; nil for none
}

// reason is why a mail has not reached some recipients.
type reason struct {
	why        *failure // of the first of its groups, for the mail's sender
	groups     []int
	recipients int
}

// maxReasons is the number of reasons that an error tells.
const maxReasons = 5

// errOther stands for the reasons that an error does not tell.
var errOther = &failure{reason: "other reasons"}

// rejection is for a mail that has reached nobody: all of its recipients are here.
func (u *unreached) rejection() *rejection.Error {
	rejected := u.reasons[0].why.rejection()
	if u.outage != nil {
		rejected.Cause, rejected.Outage = u.outage.cause, true
	}
	return rejected
}

// add adds a group. If it is not known why, the reason is otherwise.
func (u *unreached) add(i int, group Envelope, why, otherwise *failure) {
	why = cmp.Or(why, otherwise)
	if u.outage == nil && why.outage() {
		u.outage = why
	}
	at := u.find(why)
	if at < 0 && len(u.reasons) >= maxReasons {
		why = errOther
		at = u.find(why)
	}
	if at < 0 {
		at = len(u.reasons)
		u.reasons = append(u.reasons, reason{why: why})
	}
	r := &u.reasons[at]
	r.groups = append(r.groups, i)
	r.recipients += group.recipients()
	u.recipients += group.recipients()
}

// find is the index of a reason, -1 for none.
func (u *unreached) find(why *failure) int {
	return slices.IndexFunc(u.reasons, func(r reason) bool { return r.why.reason == why.reason })
}

// describe goes on from a sentence, given what became of the recipients.
func (u *unreached) describe(became string) (all string) {
	for _, r := range u.reasons {
		who := ""
		if u.separate {
			who = " (" + rejection.Indices("recipients", r.groups) + ")"
		}
		all += fmt.Sprintf("; %s %d%s: %s", became, r.recipients, who, r.why.reason)
	}
	return all
}
