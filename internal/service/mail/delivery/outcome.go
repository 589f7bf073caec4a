package delivery

import (
	"cmp"
	"fmt"
	"slices"

	"frontdesk/internal/base/api"
)

// outcome returns the message ids, and an error if some recipients were not reached. A group in state "begun" without
// a failure was begun by an earlier request that never recorded the end: see errDied.
func (p *progress) outcome() (ids []string, err error) {
	reached, leftOut := 0, 0
	unsent, unknown := unreached{separate: p.separate}, unreached{separate: p.separate}
	for i, group := range p.groups {
		g := p.settled[groupName(i)]
		switch {
		case g.State == groupLeftOut:
			leftOut++
		case g.State == groupSent:
			reached += group.recipients()
		case g.State == groupBegun:
			unknown.add(i, group, p.failures[i], errDied)
		default:
			unsent.add(i, group, p.failures[i], errInternal)
		}
		if g.State == groupSent || p.separate {
			ids = append(ids, g.ID)
		}
	}
	switch {
	case leftOut == len(p.groups):
		return nil, errNobodyLeft
	case unsent.recipients == 0 && unknown.recipients == 0:
		return ids, nil
	case reached == 0 && unknown.recipients == 0:
		return nil, unsent.rejection()
	case reached == 0 && unsent.recipients == 0:
		return nil, unknown.rejection()
	case reached == 0:
		ids = nil
	}
	partly := &api.Error{
		Kind: api.Rejected, Code: UnknownOutcome,
		Message: fmt.Sprintf("the mail reached %d of %d recipients", reached, recipientsOf(p.groups)-leftOut),
		Cause:   "partly", Outage: true,
	}
	if unsent.recipients > 0 {
		partly.Code = PartlySent
		partly.Cause += ", " + unsent.rejection().Cause
		partly.Message += unsent.describe("it was not sent to")
	}
	if unknown.recipients > 0 {
		partly.Cause += ", " + unknown.rejection().Cause
		partly.Message += unknown.describe("it may or may not have been sent to")
	}
	return ids, partly
}

// errNobodyLeft is for a mail whose recipients have all unsubscribed.
var errNobodyLeft = &api.Error{
	Kind: api.Rejected, Code: Unsubscribed,
	Message: "the mail was not sent: each of its recipients has unsubscribed",
	Cause:   "unsubscribed",
}

// unreached collects the recipients that a mail has not reached, or may not have reached.
type unreached struct {
	separate   bool // each group is one recipient
	recipients int
	reasons    []reason   // in the order of the groups
	outage     *api.Error // the first one that the operator has to know of, or nil
}

// reason is why a mail has not reached some recipients.
type reason struct {
	why        *api.Error // of the first group with this reason
	groups     []int
	recipients int
}

// maxReasons is the number of different reasons that an error lists. All further ones share errOther.
const maxReasons = 5

// errOther stands for the reasons that an error does not list.
var errOther = &api.Error{Message: "other reasons"}

// rejection returns the error for a mail that reached nobody. It gives the first reason, and the cause of the
// first outage.
func (u *unreached) rejection() *api.Error {
	rejected := nobodyReached(u.reasons[0].why)
	if u.outage != nil {
		rejected.Cause, rejected.Outage = u.outage.Cause, true
	}
	return rejected
}

// add adds group i with its failure. If why is nil, it is fallback.
func (u *unreached) add(i int, group Envelope, why, fallback *api.Error) {
	why = cmp.Or(why, fallback)
	if u.outage == nil && why.Outage {
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

// find returns the index of the reason with the same text, or -1.
func (u *unreached) find(why *api.Error) int {
	return slices.IndexFunc(u.reasons, func(r reason) bool { return r.why.Message == why.Message })
}

// describe returns the second half of a sentence: for each reason how many recipients were affected. became says what
// happened to them.
func (u *unreached) describe(became string) (all string) {
	for _, r := range u.reasons {
		who := ""
		if u.separate {
			who = " (" + Indices("recipients", r.groups) + ")"
		}
		all += fmt.Sprintf("; %s %d%s: %s", became, r.recipients, who, r.why.Message)
	}
	return all
}
