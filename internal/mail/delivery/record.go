package delivery

import (
	"bytes"
	"crypto/sha256"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// A request with the header Idempotency-Key is one of several that ask for the same mail. Together they send
// it once: what is done is written down in a record before it is done, and each request reads there what the
// others have done.
//
//	claimed   a request works on the mail; SES was not asked. When it dies, another takes over after its lease.
//	sending   SES was asked, or is just about to be, for the groups of recipients that the record names. When the
//	          request dies, nobody can tell whether they got the mail: it is not sent to them again.
//	done      every group was sent, or may have been. The first answer that says so is everybody's.

// keptFor is how long a record is kept, from when its mail was first asked for.
const keptFor = 24 * time.Hour

// state is how far the requests with one key have come.
type state string

const (
	claimed state = "claimed"
	sending state = "sending"
	done    state = "done"
)

// record is what the requests with one key know of each other.
type record struct {
	table.Key
	State   state  `dynamo:"state"`
	Request []byte `dynamo:"request"` // SHA-256 of the body
	// Holder is the request that works on the mail, by a name that no other has, until the end of its lease.
	// Its writes are numbered: one that was lost on the way and comes late changes nothing.
	Holder  string    `dynamo:"holder"`
	Version int       `dynamo:"version"`
	Lease   time.Time `dynamo:"lease"` // no process that the holder runs in lives longer
	// Groups has the groups for which SES was asked, by their place in the envelope.
	Groups       map[string]groupState `dynamo:"groups,omitempty"`
	GroupsDigest []byte                `dynamo:"split"` // of all groups: what their places mean
	// ReservedOn is the day on whose quota those are counted who are in no group of Groups; zero for none.
	ReservedOn time.Time `dynamo:"counted,omitempty"`
	Answer     string    `dynamo:"answer,omitempty"` // the body of the first answer, when done
	ExpiresAt  time.Time `dynamo:"expires_at,unixtime"`
}

// groupState is what is known of a group for which SES was asked: that, or SES's id of what it took.
type groupState struct {
	State string `dynamo:"state"`
	ID    string `dynamo:"id,omitempty"`
}

const (
	groupBegun = "begun"
	groupSent  = "sent"
)

// RecordKey is where the record of an Idempotency-Key stands: the zero Key, where nothing is, for "".
func RecordKey(mailKey id.ID, idempotencyKey string) table.Key {
	if idempotencyKey == "" {
		return table.Key{}
	}
	return table.Idempotency(mailKey, sha256.Sum256([]byte(idempotencyKey)))
}

// inUse is how long a client should wait that meets a request with its key at work. Most take no longer.
const inUse = time.Second

// errInUse is for the requests that come while another one works on the mail.
var errInUse = &api.Error{
	Code: api.Conflict, Message: "another request with this Idempotency-Key is being served", RetryAfter: inUse,
}

// live reports whether there is a record, and its time is not over, nor that of who works on it.
func (r *record) live(now time.Time) bool {
	return r != nil && (now.Before(r.ExpiresAt) || now.Before(r.Lease))
}

// permits says what a record, nil for none, means to a request that has just read it, given its body's digest: an
// answer that is not empty is the first one, to be given again; else the request may work on the mail, unless there
// is an error.
func (r *record) permits(request []byte, now time.Time) (answer string, err error) {
	if !r.live(now) {
		return "", nil
	}
	switch {
	case !bytes.Equal(r.Request, request):
		return "", api.Errorf(api.Invalid, "the Idempotency-Key was used for another mail; one mail has one key, and its body is the same to the byte each time")
	case r.State == done:
		return r.Answer, nil
	case now.Before(r.Lease):
		return "", errInUse
	}
	return "", nil
}
