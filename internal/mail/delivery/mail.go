package delivery

import (
	"context"
	"errors"

	"frontdesk/internal/table"
)

// mail is the mail of an attempt, once its groups are known: SES takes it for one group in one call.
type mail struct {
	*Attempt
	progress *progress
	writer   *recordWriter
	leftOut  []int // groups that this attempt leaves out, and no earlier one
}

// current is the record as far as the mail has come.
func (m *mail) current() record {
	r := m.record
	r.Groups = m.progress.settled
	return r
}

// begin notes that SES is about to be asked for groups. It must not be asked before that is written.
//
// A write without an answer may be applied, now or later, and the record would say for ever that SES was asked. So it
// is not repeated for long: the next write has a higher version and none of these groups. Once that is answered, they
// are begun again.
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
