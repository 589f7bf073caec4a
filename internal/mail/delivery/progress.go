package delivery

import (
	"maps"
	"strconv"
)

// progress is what is known of the groups of a mail.
type progress struct {
	groups   []Envelope
	separate bool // each group is one recipient, who gets a message of his own
	// settled has the groups for which SES was asked, or is about to be, by this attempt or an earlier one, and those
	// that are left out.
	settled  map[string]groupState
	failures map[int]*failure // why a group was not sent, or may not have been
}

func newProgress(groups []Envelope, separate bool, settled map[string]groupState) *progress {
	p := &progress{
		groups: groups, separate: separate, settled: make(map[string]groupState, len(groups)),
		failures: map[int]*failure{},
	}
	maps.Copy(p.settled, settled)
	return p
}

// leaveOut settles those of some groups that are pending, and gives these.
func (p *progress) leaveOut(groups []int) (left []int) {
	for _, i := range groups {
		if _, settled := p.settled[groupName(i)]; !settled {
			p.settled[groupName(i)] = groupState{State: groupLeftOut}
			left = append(left, i)
		}
	}
	return left
}

// leftOut are the groups that are left out, now or by an earlier attempt.
func (p *progress) leftOut() (groups []int) {
	for i := range p.groups {
		if p.settled[groupName(i)].State == groupLeftOut {
			groups = append(groups, i)
		}
	}
	return groups
}

// redirectedTo is where some of those recipients' mail goes, or may, for whom SES was asked; "" for none.
func (p *progress) redirectedTo() string {
	for i, group := range p.groups {
		g, settled := p.settled[groupName(i)]
		if settled && g.State != groupLeftOut && len(group.Originals()) > 0 {
			return group.Redirect.To
		}
	}
	return ""
}

// begin notes that SES is about to be asked for groups.
func (p *progress) begin(groups []int) {
	for _, i := range groups {
		p.settled[groupName(i)] = groupState{State: groupBegun}
	}
}

// forget notes that SES was not asked for groups after all.
func (p *progress) forget(groups []int) {
	for _, i := range groups {
		delete(p.settled, groupName(i))
	}
}

// end notes what became of a group: SES's id of it, or why there is none. That is written by the next write of the
// record; until then the record says less than is known, never more.
func (p *progress) end(group int, sesID string, why *failure) {
	switch {
	case why == nil:
		p.settled[groupName(group)] = groupState{State: groupSent, ID: sesID}
		return
	case !why.unknown:
		delete(p.settled, groupName(group))
	}
	p.failures[group] = why
}

// failPending notes why the pending groups will not be sent by this attempt.
func (p *progress) failPending(why *failure) {
	groups, _ := p.pending()
	for _, i := range groups {
		p.end(i, "", why)
	}
}

// recall makes it known no more than what is stored, and reports whether more was known of groups for which SES was
// asked.
func (p *progress) recall(stored map[string]groupState) (more bool) {
	for i := range p.groups {
		name := groupName(i)
		if was, settled := stored[name]; settled {
			more = more || was != p.settled[name] && was.State != groupLeftOut
			p.settled[name] = was
			delete(p.failures, i)
		}
	}
	return more
}

// pending are the groups for which SES was not asked, neither by this attempt nor by an earlier one, and that are not
// left out, and how many recipients they have.
func (p *progress) pending() (groups []int, recipients int) {
	for i, group := range p.groups {
		if _, settled := p.settled[groupName(i)]; !settled {
			groups = append(groups, i)
			recipients += group.recipients()
		}
	}
	return groups, recipients
}

// groupName is the name of a group in a record: its index.
func groupName(group int) string { return strconv.Itoa(group) }
