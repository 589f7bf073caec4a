package delivery

import (
	"cmp"
	"fmt"
	"slices"

	"frontdesk/internal/mail/rejection"
)

// Outcome is what became of a mail, and what its client is told.
type Outcome struct {
	// IDs are those that SES gave to its groups. Where each recipient is a group, they are in the order of these, with
	// "" for those who were not sent the mail or may not have been; there are none if nobody was.
	IDs      []string
	Separate bool // each recipient is a group
	// LeftOut are the recipients, by their indices in order, who were not sent the mail because they have unsubscribed.
	LeftOut    []int
	LeftOutNow []int // for the log of mails: those whom no earlier request has left out
	// RedirectedTo is where the mail goes in place of some of its recipients, or all; "" where it goes to each of them.
	RedirectedTo string
	// Err is nil if all groups were sent. Else it is a [rejection.Error] that says how many recipients the mail has
	// reached, and what of the others, whom it names where each is a group; or the error that kept the mail from
	// being delivered.
	Err error

	Taken []string // for the log: the ids of what SES took, whatever the client is told
	Fault error    // for the log: one of ours, of which the client is not told; nil for none
}

// outcome is what is known of the groups.
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
	partly := &rejection.Error{
		Code:   rejection.UnknownOutcome,
		Reason: fmt.Sprintf("the mail reached %d of %d recipients", reached, recipientsOf(p.groups)-leftOut),
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

// errNobodyLeft is for a mail all of whose recipients are left out.
var errNobodyLeft = &rejection.Error{
	Code:   rejection.Unsubscribed,
	Reason: "the mail was not sent: each of its recipients has unsubscribed",
	Cause:  "unsubscribed",
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
