package delivery

import (
	"context"
	"crypto/sha256"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
)

// retention is how long a record is kept after the first request for its mail.
const retention = 24 * time.Hour

// state is how far the requests with one Idempotency-Key have come. They ask for the same mail, and together they
// send it once: each records what it will do before it does it, and reads what the others have done.
//
//	none      No request has recorded anything, or what it recorded has expired.
//	claimed   A request works on the mail and has not asked SES. If it dies, another takes over after its lease.
//	sending   SES was asked, or is about to be, for groups in the record. If the request dies, nobody can tell whether
//	          these got the mail: it is not sent to them again.
//	done      Every group was sent, or may have been, or is left out. All later requests get the answer that this
//	          state stores.
//
// Only the holder writes until its lease ends, or its last write ends the lease; then whoever has read that version. A
// write leads
//
//	from     to       when
//	none     claimed  a request claims a mail that needs a download, or has a message for each recipient
//	none     sending  a request claims any other mail, and begins its first groups
//	claimed  claimed  the request ends, and nobody was sent the mail; another takes over
//	claimed  sending  groups are begun
//	claimed  done     the request ends, and every recipient is left out
//	sending  sending  more groups are begun; the request ends, and some are pending; another takes over
//	sending  claimed  the request ends, and SES has certainly taken nothing; or what begins groups gets no answer, and
//	                  is taken back
//	sending  done     the request ends, and no group is pending
//
// and a group
//
//	from      to        when
//	pending   begun     SES is about to be asked
//	pending   left out  its recipient has unsubscribed
//	begun     sent      SES has taken the message
//	begun     pending   SES has certainly not taken it
//	left out  pending   the mail could not be delivered to anybody: the next request decides anew
//
// A begun group stays so if nobody knows whether SES has taken its message.
type state string

const (
	none    state = "" // never stored
	claimed state = "claimed"
	sending state = "sending"
	done    state = "done"
)

// record is what the requests with one Idempotency-Key know of each other. It is one item of the table.
type record struct {
	table.Key
	State      state  `dynamo:"state"`
	BodyDigest []byte `dynamo:"request"` // SHA-256 of the requests' body
	// Holder is a random name for the request that works on the mail until the end of its lease. Its writes have
	// increasing versions, so that a delayed write changes nothing.
	Holder  string    `dynamo:"holder"`
	Version int       `dynamo:"version"`
	Lease   time.Time `dynamo:"lease"` // the holder's process has ended by then
	// Groups has, by index, the groups for which SES was asked and those that are left out.
	Groups       map[string]groupState `dynamo:"groups,omitempty"`
	GroupsDigest []byte                `dynamo:"split"` // of all groups; if it differs, an index means another group
	// ReservedOn is the day on whose quota all recipients outside of Groups are counted. It is zero if they are
	// not counted.
	ReservedOn time.Time `dynamo:"counted,omitempty"`
	// Reservation is the name under which they are counted. It is stored before they are counted: a request that
	// continues after another one died counts under the same name, and so not twice.
	Reservation string    `dynamo:"reservation,omitempty"`
	Answer      string    `dynamo:"answer,omitempty"` // the body of the final answer, when done
	ExpiresAt   time.Time `dynamo:"expires_at,unixtime"`
}

// exists reports whether there is a record at all: without an Idempotency-Key there is none.
func (r *record) exists() bool { return r.Key != table.Key{} }

// state returns the state that follows from the other fields.
func (r *record) state() state {
	switch {
	case r.Answer != "":
		return done
	case asked(r.Groups):
		return sending
	}
	return claimed
}

// groupState is the state of a group that is no longer pending.
type groupState struct {
	State string `dynamo:"state"`
	ID    string `dynamo:"id,omitempty"` // from SES, if sent
}

const (
	groupBegun   = "begun"
	groupSent    = "sent"
	groupLeftOut = "left out" // its recipient has unsubscribed: no request asks SES
)

// asked reports whether SES was asked for any of the groups, or is about to be.
func asked(groups map[string]groupState) bool {
	for _, g := range groups {
		if g.State != groupLeftOut {
			return true
		}
	}
	return false
}

// RecordKey returns the key of an Idempotency-Key's record. For "" it is the zero Key, at which no item exists.
func RecordKey(mailKey id.ID, idempotencyKey string) table.Key {
	if idempotencyKey == "" {
		return table.Key{}
	}
	return table.Idempotency(mailKey, sha256.Sum256([]byte(idempotencyKey)))
}

// goOnFrom takes over what earlier attempts recorded, but for the groups.
func (r *record) goOnFrom(previous *record) {
	r.ExpiresAt = previous.ExpiresAt
	// A record must not expire while it is in use. It is stored in whole seconds.
	if end := r.Lease.Add(time.Second); r.ExpiresAt.Before(end) {
		r.ExpiresAt = end
	}
	r.ReservedOn, r.Reservation = previous.ReservedOn, previous.Reservation
}

const (
	// leaseSlack is how much longer than a request's context its lease lasts: one second because the process outlives
	// the context to send its answer, and one because clocks may differ.
	leaseSlack = 2 * time.Second
	// defaultLease is for a context without a deadline, which never occurs on Lambda.
	defaultLease = 30 * time.Second
)

// leaseEnd returns a time at which the process that serves a request has certainly ended.
func leaseEnd(ctx context.Context, now time.Time) time.Time {
	if deadline, ok := ctx.Deadline(); ok {
		return deadline.Add(leaseSlack)
	}
	return now.Add(defaultLease)
}
