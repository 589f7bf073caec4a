package delivery

import (
	"frontdesk/internal/base/api"
	"maps"
	"strconv"
	"sync"
)

// progress is the known state of the groups of a mail. While groups are sent, begin, forget, end and snapshot may be
// called concurrently.
type progress struct {
	groups   []Envelope
	separate bool // each group is one recipient with a message of their own
	// settled has the groups for which SES was asked or is about to be asked, by this attempt or an earlier one, and
	// the groups that are left out. A group that is absent is pending.
	settled  map[string]groupState
	failures map[int]*api.Error // why a group was not sent, or may not have been

	mu sync.Mutex
}

func newProgress(groups []Envelope, separate bool, settled map[string]groupState) *progress {
	p := &progress{
		groups: groups, separate: separate, settled: make(map[string]groupState, len(groups)),
		failures: map[int]*api.Error{},
	}
	maps.Copy(p.settled, settled)
	return p
}

// snapshot returns the groups that are settled now.
func (p *progress) snapshot() map[string]groupState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.settled)
}

// leaveOut marks those of the groups that are still pending as left out, and returns them.
func (p *progress) leaveOut(groups []int) (leftOut []int) {
	for _, i := range groups {
		if _, settled := p.settled[groupName(i)]; !settled {
			p.settled[groupName(i)] = groupState{State: groupLeftOut}
			leftOut = append(leftOut, i)
		}
	}
	return leftOut
}

// leftOut returns the groups that this attempt or an earlier one left out.
func (p *progress) leftOut() (groups []int) {
	for i := range p.groups {
		if p.settled[groupName(i)].State == groupLeftOut {
			groups = append(groups, i)
		}
	}
	return groups
}

// redirectedTo returns the address that a redirected group was sent to, or may have been sent to; "" if SES was asked
// for no such group.
func (p *progress) redirectedTo() string {
	for i, group := range p.groups {
		g, settled := p.settled[groupName(i)]
		if settled && g.State != groupLeftOut && len(group.Originals()) > 0 {
			return group.Redirect.To
		}
	}
	return ""
}

// begin marks groups for which SES is about to be asked.
func (p *progress) begin(groups []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, i := range groups {
		p.settled[groupName(i)] = groupState{State: groupBegun}
	}
}

// reset makes groups pending again, because SES was not asked for them after all.
func (p *progress) reset(groups []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, i := range groups {
		delete(p.settled, groupName(i))
	}
}

// end notes the result of a group: the id that SES gave it, or why there is none. The next write of the record stores
// it. Until then the record says less than is known, never more.
func (p *progress) end(group int, sesID string, why *api.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case why == nil:
		p.settled[groupName(group)] = groupState{State: groupSent, ID: sesID}
		return
	case !unknown(why):
		delete(p.settled, groupName(group))
	}
	p.failures[group] = why
}

// failPending notes why this attempt will not send the pending groups.
func (p *progress) failPending(why *api.Error) {
	groups, _ := p.pending()
	for _, i := range groups {
		p.end(i, "", why)
	}
}

// restore sets the groups to what is stored, and reports whether more was known about a group for which SES was asked.
func (p *progress) restore(stored map[string]groupState) (more bool) {
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

// pending returns the groups that are not settled, and the number of their recipients.
func (p *progress) pending() (groups []int, recipients int) {
	for i, group := range p.groups {
		if _, settled := p.settled[groupName(i)]; !settled {
			groups = append(groups, i)
			recipients += group.recipients()
		}
	}
	return groups, recipients
}

// groupName returns the name of a group in a record: its index.
func groupName(group int) string { return strconv.Itoa(group) }
