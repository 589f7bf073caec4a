package delivery

import (
	"bytes"
	"context"
	"crypto/sha256"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/mail/rejection"
	"frontdesk/internal/table"
)

// retention is how long a record is kept, from the first request for its mail.
const retention = 24 * time.Hour

// state is how far the requests with one Idempotency-Key have come. They ask for the same mail, and together they send
// it once: each writes down what it will do before it does it, and reads what the others have done.
//
//	claimed   A request works on the mail, and has not asked SES. If it dies, another takes over after its lease.
//	sending   SES was asked, or is about to be, for the groups that the record names. If the request dies, nobody
//	          can tell whether they got the mail: it is not sent to them again.
//	done      Every group was sent, or may have been. The first answer that says so is the answer to all requests.
type state string

const (
	claimed state = "claimed"
	sending state = "sending"
	done    state = "done"
)

// record is what the requests with one Idempotency-Key know of each other.
type record struct {
	table.Key
	State      state  `dynamo:"state"`
	BodyDigest []byte `dynamo:"request"` // SHA-256 of the requests' body
	// Holder is a random name of the request that works on the mail, until the end of its lease. Its writes have
	// increasing versions: one that was delayed on the way changes nothing.
	Holder  string    `dynamo:"holder"`
	Version int       `dynamo:"version"`
	Lease   time.Time `dynamo:"lease"` // the holder's process has ended by then
	// Groups has the groups for which SES was asked, and those that are left out, by their index.
	Groups       map[string]groupState `dynamo:"groups,omitempty"`
	GroupsDigest []byte                `dynamo:"split"` // of all groups; where it differs, an index means another group
	// ReservedOn is the day on whose quota the recipients are counted who are in none of Groups; zero for none.
	ReservedOn time.Time `dynamo:"counted,omitempty"`
	// Reservation is the name under which they are counted. It is written before they are: whoever goes on after a
	// request that died counts them under the same name, and so not twice.
	Reservation string    `dynamo:"reservation,omitempty"`
	Answer      string    `dynamo:"answer,omitempty"` // the body of the final answer, when done
	ExpiresAt   time.Time `dynamo:"expires_at,unixtime"`
}

// kept reports whether there is a record at all: without an Idempotency-Key there is none.
func (r *record) kept() bool { return r.Key != table.Key{} }

// state is how far a record says that its mail has come.
func (r *record) state() state {
	switch {
	case r.Answer != "":
		return done
	case asked(r.Groups):
		return sending
	}
	return claimed
}

// groupState is what is known of a group that is settled.
type groupState struct {
	State string `dynamo:"state"`
	ID    string `dynamo:"id,omitempty"` // SES's, when sent
}

const (
	groupBegun   = "begun"
	groupSent    = "sent"
	groupLeftOut = "left out" // SES is not asked for it, now or later
)

// asked reports whether SES was asked for some groups, or is about to be.
func asked(groups map[string]groupState) bool {
	for _, g := range groups {
		if g.State != groupLeftOut {
			return true
		}
	}
	return false
}

// RecordKey is the key of the record of an Idempotency-Key; for "" it is the zero Key, where nothing is.
func RecordKey(mailKey id.ID, idempotencyKey string) table.Key {
	if idempotencyKey == "" {
		return table.Key{}
	}
	return table.Idempotency(mailKey, sha256.Sum256([]byte(idempotencyKey)))
}

// errInUse is for a request that comes while another one works on the mail. Most requests take no more than a second.
var errInUse = &api.Error{
	Kind: api.Conflict, Message: "another request with this Idempotency-Key is being served", RetryAfter: time.Second,
}

// live reports whether a record, nil for none, counts: it has not expired, or a request still works on its mail.
func (r *record) live(now time.Time) bool {
	return r != nil && (now.Before(r.ExpiresAt) || now.Before(r.Lease))
}

// goOnFrom takes over what earlier attempts have left.
func (r *record) goOnFrom(previous *record) {
	r.ExpiresAt = previous.ExpiresAt
	if r.ExpiresAt.Before(r.Lease) {
		r.ExpiresAt = r.Lease // DynamoDB must not delete a record in use
	}
	r.ReservedOn, r.Reservation, r.Groups = previous.ReservedOn, previous.Reservation, previous.Groups
}

// permits says what a request may do that has just read the record, nil for none, given the digest of its body: give
// the final answer again, if there is one, else work on the mail, unless there is an error.
func (r *record) permits(bodyDigest []byte, now time.Time) (answer string, err error) {
	if !r.live(now) {
		return "", nil
	}
	switch {
	case !bytes.Equal(r.BodyDigest, bodyDigest):
		return "", api.Errorf(api.Invalid, "the Idempotency-Key was used for another mail; "+
			"one mail has one key, and its body is the same to the byte each time").
			WithCode(rejection.IdempotencyKeyReused)
	case r.State == done:
		return r.Answer, nil
	case now.Before(r.Lease):
		return "", errInUse
	}
	return "", nil
}

const (
	// leaseSlack is how much longer than a request's context a lease lasts: the process lives on for the second that
	// is kept for the answer, and clocks may differ by another.
	leaseSlack = 2 * time.Second
	// defaultLease is for a context without a deadline, which Lambda never gives.
	defaultLease = 30 * time.Second
)

// leaseEnd is a time at which the process that serves a request has ended for certain.
func leaseEnd(ctx context.Context, now time.Time) time.Time {
	if deadline, ok := ctx.Deadline(); ok {
		return deadline.Add(leaseSlack)
	}
	return now.Add(defaultLease)
}
