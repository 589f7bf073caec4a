package table

import (
	"errors"

	"frontdesk/internal/base/api"
)

// final is an error that [Final] has marked.
type final struct{ error }

// Final marks the error of a condition that never holds again once it has failed. [Tx.Run] returns it without the mark.
//
// An attempt at a write that got no answer may still arrive, and its conditions are compared only then. So a refusal
// may be told only if the attempt can no longer be applied: if a condition has failed for good. A condition on a
// version fails for good. One on a value does not, because values come back: a category moves below another one and
// away again, an address goes to another user and returns. After an attempt without an answer, such a refusal is
// [ErrUnknown].
//
//	final                                   why
//	version, generation                     a change raises it, and an import begins above all earlier ones
//	updated_at, beside the generation       a change raises it
//	created_at of a portal, a membership,   it has nanoseconds, and digits by chance after an import: no later item
//	or a grant                              under the key has the same
//	digest of a token                       its secret is drawn by lot
//	revoked_at, clearing                    nobody takes it back
//	a login token                           the key has its digest: it is stored once, and deleted once
//	any, in a transaction of checks alone   there is nothing to be applied
//
//	not final                               why not
//	an item is there                        an import brings users and categories back under their ids
//	no item is there                        who has the key may give it free
//	a parent, a name, locales, an address,  others set it back
//	an owner, the hash of a password
//	deleting                                a deletion that is given up takes its mark back
//	no created_at of a membership           a repair makes another one without it
func Final(unmet error) error { return final{unmet} }

// condition is the condition of one operation of a transaction.
type condition struct {
	unmet error // what it means that the condition failed; nil if there is none
	final bool
}

func newCondition(unmet error) condition {
	if marked, ok := unmet.(final); ok {
		return condition{marked.error, true}
	}
	return condition{unmet, false}
}

// refusal returns what it means that these conditions of a transaction failed, whose last attempt ended with err.
func refusal(failed []condition, err error) error {
	unmet := failed[0].unmet
	if !errors.Is(err, ErrUnknown) {
		return unmet
	}
	for _, c := range failed {
		if c.final {
			return unmet
		}
	}
	return unconfirmed{unmet}
}

// Unconfirmed is the cause in the log of an answer that takes the place of a refusal, because an attempt without an
// answer may still prove it wrong.
const Unconfirmed = "unconfirmed refusal"

var errUnconfirmed = &api.Error{Kind: ErrUnknown.Kind, Message: ErrUnknown.Message, Cause: Unconfirmed}

// unconfirmed is such a refusal.
type unconfirmed struct{ refusal error }

func (u unconfirmed) Error() string { return ErrUnknown.Message + ": " + u.refusal.Error() }

func (u unconfirmed) Unwrap() []error { return []error{errUnconfirmed, ErrUnknown, u.refusal} }
