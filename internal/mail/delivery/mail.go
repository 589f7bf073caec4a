package delivery

import (
	"context"
	"errors"

	"frontdesk/internal/table"
)

// mail is the mail of an attempt once its groups are known. SES sends one group with one call.
type mail struct {
	*Attempt
	progress *progress
	writer   *recordWriter
	leftOut  []int // groups that this attempt was the first to leave out
}

// current returns the record with the present state of the groups.
func (m *mail) current() record {
	r := m.record
	r.Groups = m.progress.settled
	return r
}

// begin records that SES is about to be asked for groups. SES must not be asked before this write succeeds.
//
// A write without an answer may still be applied later, and then the record would say forever that SES was asked. So
// begin repeats it only briefly. Then it writes the record without these groups and with a higher version, which the
// lost write can no longer replace. Once that write is confirmed, begin tries the groups again.
func (m *mail) begin(ctx context.Context, groups []int) error {
	if len(groups) == 0 {
		return m.writer.write(ctx, m.current())
	}
	for {
		m.progress.begin(groups)
		err := m.writer.write(table.Briefly(ctx), m.current())
		if err == nil {
			return nil
		}
		m.progress.forget(groups)
		if !errors.Is(err, table.ErrUnknown) {
			return err
		}
		if err := m.writer.write(ctx, m.current()); err != nil {
			return err
		}
	}
}
