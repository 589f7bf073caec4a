package delivery

import (
	"bytes"
	"crypto/sha256"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/table"
)

// EarlierRequests is what earlier requests with the same Idempotency-Key have recorded, as a request has read it. A
// request without such a key has the zero EarlierRequests.
type EarlierRequests struct {
	at         table.Key
	bodyDigest []byte  // SHA-256 of this request's body
	record     *record // nil if there is none
}

// ReadEarlierRequests takes the state of earlier requests from items that were read at a [RecordKey].
func ReadEarlierRequests(items table.Items, at table.Key, body []byte) (EarlierRequests, error) {
	if at == (table.Key{}) {
		return EarlierRequests{}, nil
	}
	digest := sha256.Sum256(body)
	e := EarlierRequests{at: at, bodyDigest: digest[:]}
	var r record
	found, err := items.Get(at, &r)
	if found {
		e.record = &r
	}
	return e, err
}

// Permits decides what a request may do that has read e. If there is a final answer, Permits returns it, and the
// request repeats it. All requests with one key must have the same body, otherwise the error is of kind [api.Invalid].
// It is of kind [api.Conflict] while another request works on the mail.
func (e EarlierRequests) Permits(now time.Time) (answer string, err error) {
	switch {
	case e.record == nil:
	case !bytes.Equal(e.record.BodyDigest, e.bodyDigest):
		return "", api.Errorf(api.Invalid, "the Idempotency-Key was used for another mail; "+
			"one mail has one key, and its body is the same to the byte each time").
			WithCode(IdempotencyKeyReused)
	case e.record.State == done:
		return e.record.Answer, nil
	case now.Before(e.record.Lease):
		return "", errInUse
	}
	return "", nil
}

// errInUse is for a request that comes while another one works on the same mail. Most requests take less than a second.
var errInUse = &api.Error{
	Kind: api.Conflict, Message: "another request with this Idempotency-Key is being served", RetryAfter: time.Second,
}

// asked reports whether earlier requests have asked SES for any group.
func (e EarlierRequests) asked() bool { return e.record != nil && asked(e.record.Groups) }

// Refused returns the error for a mail that is not accepted because of err. If err is a rejection by a rule and earlier
// requests have already sent part of the mail, the rules changed in between. The returned error then says both.
func (e EarlierRequests) Refused(err error) error {
	rejected, ok := AsRejected(err)
	if !ok || !e.asked() {
		return err
	}
	return &api.Error{
		Kind: api.Rejected, Code: PartlySent,
		Message: "the mail may or may not have been sent: earlier requests asked SES to send it to some of its " +
			"recipients; to the others it was not sent: " + rejected.Message,
		Cause: "refused", Outage: true,
	}
}
