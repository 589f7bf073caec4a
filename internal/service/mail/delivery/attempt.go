package delivery

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/service/mail/mailkey"
)

// attempt is one request's attempt to deliver a mail to all of its recipients.
//
// With an Idempotency-Key, several attempts may share one mail. They share a record, which names the groups of
// recipients for which SES was asked, so that SES is asked only once for each group. Without such a key nothing of an
// attempt outlasts its request.
//
//	state      begins                       may write if the record is    ends
//	unclaimed  when the request has read    as it was read, or gone, or   claimed, by a write that is confirmed;
//	           the record                   of a write of its own         taken, if the condition fails
//	claimed    when a write is confirmed    of a write of its own         released; taken, if another attempt has
//	                                                                      claimed the mail after the lease
//	taken      when a condition fails       –                             the answer is 409 or 503
//	released   with the last write, which   –                             the answer is what the record says
//	           ends the lease
//
// In the first two states it is also unanswered, from a write that may have been applied and got no answer until one
// that is confirmed or whose condition fails. An attempt that ends unanswered gives no answer of its own, but 503.
type attempt struct {
	table  table.Table
	ses    *SES
	key    mailkey.Key // authenticated the request
	start  time.Time   // of the request
	record record      // its Key is zero without an Idempotency-Key; its Groups are those of the progress
	writer *recordWriter

	resumed  bool  // earlier attempts have asked SES for some groups
	leftOut  []int // groups that this attempt was the first to leave out
	warnings []string
	fault    error // an internal error that kept some groups from being sent, or nil

	progress *progress

	writing chan struct{} // has an element while the record is written
	queue   sync.Mutex
	next    *batch // the groups that wait for writing, or nil
}

// attempt makes the attempt of a request, which continues where earlier requests stopped.
func (s Service) attempt(ctx context.Context, m Mail) *attempt {
	previous := m.Earlier.record
	a := &attempt{
		table: s.Table, ses: s.SES, key: m.Key, start: m.Start,
		writer:  &recordWriter{table: s.Table, holder: rand.Text(), previous: previous},
		resumed: m.Earlier.asked(), warnings: m.Warnings, writing: make(chan struct{}, 1),
	}
	groups := m.Envelope.groups()
	if m.Earlier.at != (table.Key{}) {
		a.record = record{
			Key: m.Earlier.at, BodyDigest: m.Earlier.bodyDigest, GroupsDigest: digest(groups),
			Lease: leaseEnd(ctx, m.Start), ExpiresAt: m.Start.Add(retention),
		}
	}
	var settled map[string]groupState
	if previous != nil {
		a.record.goOnFrom(previous)
		settled = previous.Groups
	}
	a.progress = newProgress(groups, m.Envelope.Separate, settled)
	return a
}

// current returns the record with the present state of the groups.
func (a *attempt) current() record {
	r := a.record
	r.Groups = a.progress.snapshot()
	return r
}
