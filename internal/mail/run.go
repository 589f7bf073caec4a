package mail

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/mail/rejection"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// run is one request's work on a mail: the groups of recipients for which SES was asked, by this request and
// by those before it with the same Idempotency-Key. Without such a key it is remembered only as long as the
// request lasts.
type run struct {
	start  time.Time // of the request
	table  table.Table
	key    mailkey.Key // the mail key
	before *record     // what the requests before have left; nil for nothing
	kept   bool        // there is an Idempotency-Key
	held   bool        // claimed: what it has to write first is written
	groups []envelope  // of the whole mail
	fault  error       // of ours, for the log: the answer does not tell it

	mu     sync.Mutex
	record record
	faults map[int]*sendError // why a group was not sent, or may not have been
}

// newRun is a run that nothing is kept of.
func newRun(start time.Time, t table.Table, key mailkey.Key) *run {
	return &run{start: start, table: t, key: key, record: record{Groups: map[string]progress{}}, faults: map[int]*sendError{}}
}

// newKeptRun is a run of which a record is kept. It goes on from the record of the requests before with the
// same body, of which request is the digest, if there is one.
func newKeptRun(ctx context.Context, start time.Time, t table.Table, key mailkey.Key, idempotencyKey string, before *record, request []byte) *run {
	r := newRun(start, t, key)
	r.before, r.kept = before, true
	r.record.Key, r.record.Request, r.record.Holder = recordKey(key.ID, idempotencyKey), request, rand.Text()
	r.record.Lease, r.record.ExpiresAt = leaseEnd(ctx, start), start.Add(keptFor)
	if before.lasts(start) {
		r.record.ExpiresAt = later(before.ExpiresAt, r.record.Lease) // DynamoDB deletes none that is in use
		r.record.Counted = before.Counted
		maps.Copy(r.record.Groups, before.Groups)
	}
	return r
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
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

// claim begins the work on a mail for some groups of recipients, so that nobody else does, and counts those
// whom it is not sent to yet on the mail key's quota. The error is errInUse if somebody else has just begun, a
// [rejection.Error] if the requests before had other groups, and of code [api.RateLimited] if they are more than the quota
// has left: then nothing is written.
func (r *run) claim(ctx context.Context, groups []envelope) error {
	r.groups = groups
	if r.kept {
		r.record.Split = digest(groups)
	}
	if r.resumed() && !bytes.Equal(r.record.Split, r.before.Split) {
		return &rejection.Error{
			Reason: "the mail may or may not have been sent: earlier requests asked SES to send it to some of its recipients, " +
				"in other groups than it has today",
			Code: "split",
		}
	}
	_, left := r.pending()
	over, err := r.take(ctx, left)
	if over {
		r.leave(&sendError{reason: r.key.ShortOf(left), code: "quota"})
		_, rejected := r.outcome()
		return &api.Error{Code: api.RateLimited, Message: rejected.Error(), RetryAfter: mailkey.DayOf(r.start).Add(mailkey.Day).Sub(r.start)}
	}
	return err
}

// take writes what claim does. Over tells that the quota does not allow it.
func (r *run) take(ctx context.Context, left int) (over bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var count *dynamo.Update
	if today := mailkey.DayOf(r.start); left > 0 && r.key.Daily > 0 && !r.record.Counted.Equal(today) {
		if left > r.key.Daily {
			return true, nil
		}
		count = r.key.Count(r.table, today, left).If("attribute_not_exists(recipients) OR recipients <= ?", r.key.Daily-left)
		r.record.Counted = today
	}
	if r.before == nil {
		err = r.write(ctx, count, "attribute_not_exists(PK)")
	} else {
		err = r.write(ctx, count, "holder = ? AND version = ?", r.before.Holder, r.before.Version)
	}
	if err != nil && count != nil {
		r.record.Counted = time.Time{}
	}
	r.held = err == nil
	return errors.Is(err, mailkey.ErrOverQuota), err
}

// resumed reports whether the requests before have asked SES for a group.
func (r *run) resumed() bool { return r.kept && len(r.record.Groups) > 0 }

// leave notes why the pending groups are not sent.
func (r *run) leave(why *sendError) {
	places, _ := r.pending()
	for _, i := range places {
		r.end(i, "", why)
	}
}

// begin notes that SES is about to be asked for a group. Only then may it be.
func (r *run) begin(ctx context.Context, group int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record.Groups[place(group)] = progress{State: groupBegun}
	err := r.write(ctx, nil, "")
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
// else the next one may go on at once with those that were not, which are no longer counted on the quota.
func (r *run) settle(ctx context.Context, first api.Response) error {
	_, left := r.pending()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.held {
		return nil
	}
	if left == 0 && r.kept {
		body, err := api.Marshal(first.Body)
		if err != nil {
			return fmt.Errorf("encode the answer: %w", err)
		}
		r.record.State, r.record.Answer = done, string(body)
	}
	var count *dynamo.Update
	if left > 0 && !r.record.Counted.IsZero() {
		count = r.key.Count(r.table, r.record.Counted, -left)
		r.record.Counted = time.Time{}
	}
	r.record.Lease = time.Time{}
	return r.write(ctx, count, "")
}

// write puts the record, numbered, where it is the run's own or as a condition has it, and counts recipients in
// the same transaction, if there is anything to count. What is counted, once, is so even if answers are lost. The
// caller has the lock: the writes of a run follow one another.
func (r *run) write(ctx context.Context, count *dynamo.Update, condition string, args ...any) error {
	switch {
	case count == nil && !r.kept:
		return nil
	case count == nil:
		err := r.put(condition, args...).Run(ctx)
		if dynamo.IsCondCheckFailed(err) {
			return errInUse
		}
		if err != nil {
			return fmt.Errorf("put the record of an idempotency key: %w", table.Single(err))
		}
		return nil
	}
	tx := r.table.Tx()
	if r.kept {
		tx.Put(r.put(condition, args...), errInUse)
	}
	tx.Update(count, mailkey.ErrOverQuota)
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("count recipients: %w", err)
	}
	return nil
}

// put is the record as it is now, with the next number.
func (r *run) put(condition string, args ...any) *dynamo.Put {
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
	return r.table.Put(r.record).If(own, append([]any{r.record.Holder, r.record.Version}, args...)...)
}

// place is a group's name in a record.
func place(group int) string { return strconv.Itoa(group) }
