package delivery

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// recordWriter writes the record of an Idempotency-Key for one attempt. It alone knows which writes replace which: one
// replaces an older version of the attempt's own, and until the mail is claimed what earlier attempts have left. So a
// write that arrives late changes nothing, and of two attempts that claim a mail one does.
//
// The writes of an attempt follow one another. Without an Idempotency-Key there is no record, and nothing is written.
type recordWriter struct {
	table    table.Table
	holder   string  // a random name of the attempt
	version  int     // of its last write
	previous *record // what earlier attempts have left; nil for nothing

	claimed bool // a write was confirmed: no other attempt sends the mail
	// unanswered says that the last write that may have been applied got no answer: nobody knows what is stored.
	unanswered bool
	stored     map[string]groupState // what the last write that was confirmed says of the groups
}

// write stores the record with the next version. The error is errInUse if another attempt has the mail.
func (w *recordWriter) write(ctx context.Context, r record) error {
	if !r.kept() {
		w.claimed = true
		return nil
	}
	w.version++
	r.State, r.Holder, r.Version = r.state(), w.holder, w.version
	put := w.table.Put(r)
	const own = "holder = ? AND version <= ?" // not <: a write that is repeated may have been done already
	switch {
	case w.claimed:
		put.If(own, w.holder, w.version)
	case w.previous == nil:
		put.If(own+" OR attribute_not_exists(PK)", w.holder, w.version)
	default:
		put.If(own+" OR holder = ? AND version = ?", w.holder, w.version, w.previous.Holder, w.previous.Version)
	}
	err := put.Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		w.unanswered = false // no earlier version of this attempt replaces what another one has written
		return errInUse
	}
	if err != nil {
		w.unanswered = w.unanswered || errors.Is(err, table.ErrUnknown)
		return fmt.Errorf("put the record of an idempotency key: %w", err)
	}
	w.claimed, w.unanswered = true, false
	w.stored = maps.Clone(r.Groups)
	return nil
}

// writeLast is write for the last time. Where no answer comes, it reads the record back: if it is there, the client can
// be told what later requests will be told. If it is not, it may still arrive.
func (w *recordWriter) writeLast(ctx context.Context, r record) error {
	writing, cancel := keep(ctx, settleWithin)
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
