package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/base/table"

	"github.com/guregu/dynamo/v2"
)

// recordWriter writes the record of an Idempotency-Key for one attempt. It alone decides which write may replace
// which: a write replaces an older version of the same attempt, and until the mail is claimed also the version that
// earlier attempts left. So a delayed write changes nothing, and of two attempts that claim a mail only one succeeds.
//
// The writes of an attempt are sequential. Without an Idempotency-Key there is no record, and nothing is written.
type recordWriter struct {
	table    table.Table
	holder   string  // a random name for the attempt
	version  int     // of its last write
	previous *record // of earlier attempts; nil if there is none

	claimed bool // a write was confirmed: no other attempt sends the mail
	// unanswered is true after a write that may have been applied got no answer: nobody knows what is stored.
	unanswered bool
	stored     map[string]groupState // the groups as the last confirmed write has them
}

// write stores the record with the next version. The error is errInUse if another attempt has the mail.
func (w *recordWriter) write(ctx context.Context, r record) error {
	if !r.exists() {
		w.claimed = true
		return nil
	}
	w.version++
	r.State, r.Holder, r.Version = r.state(), w.holder, w.version
	put := w.table.Put(r)
	const sameHolder = "holder = ? AND version <= ?" // not <: a repeated write may already be applied
	switch {
	case w.claimed:
		put.If(sameHolder, w.holder, w.version)
	case w.previous == nil:
		put.If(sameHolder+" OR "+table.Absent, w.holder, w.version, time.Now().Unix())
	default:
		put.If(sameHolder+" OR holder = ? AND version = ?", w.holder, w.version, w.previous.Holder, w.previous.Version)
	}
	err := put.Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		w.unanswered = false // no late write of this attempt can replace the other attempt's record
		return errInUse
	}
	if err != nil {
		w.unanswered = w.unanswered || errors.Is(err, table.ErrUnknown)
		return fmt.Errorf("put the record of an idempotency key: %w", err)
	}
	w.claimed, w.unanswered = true, false
	w.stored = r.Groups
	return nil
}

// writeLast is the last write of an attempt. If it gets no answer, writeLast reads the record back. If the record has
// this version, the client may get the answer that later requests will get. If not, the write may still arrive, and
// the error stays.
func (w *recordWriter) writeLast(ctx context.Context, r record) error {
	writing, cancel := leaveTime(ctx, settleWithin)
	defer cancel()
	err := w.write(writing, r)
	if !errors.Is(err, table.ErrUnknown) {
		return err
	}
	var stored record
	items, unread := w.table.Read(ctx, r.Key)
	if unread == nil {
		_, unread = items.Get(r.Key, &stored)
	}
	if stored.Holder == w.holder && stored.Version == w.version {
		return nil
	}
	return errors.Join(err, unread)
}
