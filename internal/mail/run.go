package mail

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// run is one request's work on a mail: the groups of recipients for which SES was asked, by this request and
// by those before it with the same Idempotency-Key. Without such a key it is remembered only as long as the
// request lasts.
type run struct {
	start  time.Time // of the request
	table  table.Table
	before *record // of the request before, which this one goes on from; nil for none
	kept   bool    // with an Idempotency-Key
	held   bool    // the record is this run's
	groups []envelope
	// charged: the pending recipients are counted on the mail key's quota.
	charged bool
	// fault is one of ours, which the answer does not tell.
	fault error

	mu     sync.Mutex
	record record
	faults map[int]*sendError // why a group was not sent, or may not have been
}

// newRun is a run that nothing is kept of.
func newRun(start time.Time) *run {
	return &run{start: start, record: record{Groups: map[string]progress{}}, faults: map[int]*sendError{}}
}

// newKeptRun is a run whose record stands at a key. It goes on from the record of the requests before with the
// same body, if there is one.
func newKeptRun(ctx context.Context, start time.Time, t table.Table, at table.Key, before *record, body []byte) *run {
	r := newRun(start)
	r.table, r.before, r.kept = t, before, true
	request := sha256.Sum256(body)
	r.record.Key, r.record.Request, r.record.Holder = at, request[:], rand.Text()
	r.record.Lease, r.record.ExpiresAt = leaseEnd(ctx, start), start.Add(keptFor)
	if before.lasts(start) {
		r.record.ExpiresAt = before.ExpiresAt
		maps.Copy(r.record.Groups, before.Groups)
	}
	return r
}

const (
	// leaseSlack is what a lease lasts beyond a request's context: the second that is kept for the answer, in
	// which the process still lives, and another for clocks that differ.
	leaseSlack = 2 * time.Second
	// defaultLease is for a context without a deadline, which Lambda never gives.
	defaultLease = 30 * time.Second
)

// leaseEnd is a moment at which the process that serves a request has ended.
func leaseEnd(ctx context.Context, now time.Time) time.Time {
	if deadline, ok := ctx.Deadline(); ok {
		return deadline.Add(leaseSlack)
	}
	return now.Add(defaultLease)
}

// claim begins the work on a mail for some groups of recipients, so that nobody else does. The error is
// errInUse if somebody else has just begun.
func (r *run) claim(ctx context.Context, groups []envelope) error {
	r.groups = groups
	if !r.kept {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	if r.before == nil {
		err = r.write(ctx, "attribute_not_exists(PK)")
	} else {
		err = r.write(ctx, "holder = ? AND version = ?", r.before.Holder, r.before.Version)
	}
	r.held = err == nil
	return err
}

// begin notes that SES is about to be asked for a group. Only then may it be.
func (r *run) begin(ctx context.Context, group int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record.Groups[place(group)] = progress{State: groupBegun}
	err := r.save(ctx)
	if err != nil {
		delete(r.record.Groups, place(group))
	}
	return err
}

// end notes what became of a group: SES's id of it, or why there is none. It is written with what is noted
// next; until then the record says less than is known, never more.
func (r *run) end(group int, sesID string, fault *sendError) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case fault == nil:
		r.record.Groups[place(group)] = progress{State: groupSent, ID: sesID}
		return
	case !fault.unknown:
		delete(r.record.Groups, place(group))
	}
	r.faults[group] = fault
}

// pending are the places of the groups for which SES was not asked, neither by this run nor by one before,
// and how many recipients they have.
func (r *run) pending() (places []int, recipients int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, group := range r.groups {
		if _, begun := r.record.Groups[place(i)]; !begun {
			places = append(places, i)
			recipients += group.recipients()
		}
	}
	return places, recipients
}

// settle ends the run with its answer. If every group of the mail was begun, that is what later requests get;
// else the next one may go on at once with those that were not.
func (r *run) settle(ctx context.Context, first api.Response) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.held {
		return nil
	}
	if len(r.record.Groups) == len(r.groups) {
		body, err := json.Marshal(first.Body)
		if err != nil {
			return fmt.Errorf("encode the answer: %w", err)
		}
		r.record.State, r.record.Answer = done, string(body)
	}
	r.record.Lease = time.Time{}
	return r.save(ctx)
}

// save writes the record as it is now. The caller has the lock.
func (r *run) save(ctx context.Context) error {
	if !r.kept {
		return nil
	}
	return r.write(ctx, "")
}

// write puts the record, numbered, where it is the run's own or as a condition has it. The caller has the
// lock: the writes of a run follow one another.
func (r *run) write(ctx context.Context, condition string, args ...any) error {
	if r.record.State != done {
		r.record.State = claimed
		if len(r.record.Groups) > 0 {
			r.record.State = sending
		}
	}
	r.record.Version++
	own := "holder = ? AND version <= ?" // a write that is repeated meets itself
	if condition != "" {
		own += " OR " + condition
	}
	err := r.table.Put(r.record).If(own, append([]any{r.record.Holder, r.record.Version}, args...)...).Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		return errInUse
	}
	if err != nil {
		return fmt.Errorf("put the record of an idempotency key: %w", table.Single(err))
	}
	return nil
}

// place is a group's name in a record.
func place(group int) string { return strconv.Itoa(group) }
