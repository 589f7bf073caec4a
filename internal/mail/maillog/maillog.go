// Package maillog is what became of the mails that were sent: the events that SES publishes of them, kept by the mail
// key that sent them, and the endpoints GET /mails/{mail_id} and GET /mails. Nothing is written when a mail is sent.
// Who is left out of one, because he has unsubscribed, is written into the same two items as an event.
//
// An event is written in two items, side by side:
//
//	MAIL#<SES's id> / EVENT#<time>#<digest>           the event, with what it says of its mail
//	MAILS#<key>#<part> / SENT#<time sent>#<SES's id>  the mail's entry in the log of its key
//
// SES hands events on at best effort, in any order, perhaps more than once, and Lambda repeats what fails. So neither
// write depends on what is there. The event's name has a digest of its content: it is put again as it was. The entry
// has a set of what happened to whom, to which an event adds; the status is computed from the set where it is read.
// Events in any order, each any number of times, give the same items.
//
// A write takes one unit for each KB: two units for an event of a mail with one recipient, four for a mail that is sent
// and delivered, and up to seven for each event of a mail with 50. Events of a mail land on a partition of its own.
// Entries land, by the digest of the mail's id, on one of four partitions of the mail key: at 10,000 mails a minute,
// each sent and delivered, that is 83 units a second on each, of the 1,000 that a partition takes.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
//
// An event's item has at most 30 KB, an entry 150 KB, whatever an event says: long texts and lists are cut. DynamoDB
// takes 400 KB.
//
// Items end a number of days after their mail was sent. DynamoDB deletes them later, and they are not shown meanwhile.
package maillog

import (
	"errors"
	"log/slog"
	"os"
	"strconv"
	"time"

	"frontdesk/internal/table"
)

// Service records the events of mails, and tells of them.
type Service struct {
	Table table.Table
	// Retention is for how long a mail is in the log, from when it was sent.
	Retention time.Duration
	// Log takes a line for each event; nil is JSON on standard output, which Lambda collects.
	Log *slog.Logger
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// FromEnvironment builds the service of a function from TABLE_NAME and MAIL_LOG_DAYS, which is 1 or more.
func FromEnvironment() (*Service, error) {
	t, err := table.FromEnvironment()
	if err != nil {
		return nil, err
	}
	return In(t)
}

// In is the log in a table, of as many days as MAIL_LOG_DAYS says, which is 1 or more.
func In(t table.Table) (*Service, error) {
	days, err := strconv.Atoi(os.Getenv("MAIL_LOG_DAYS"))
	if err != nil || days < 1 {
		return nil, errors.New("MAIL_LOG_DAYS is not a number of days")
	}
	return &Service{Table: t, Retention: time.Duration(days) * 24 * time.Hour}, nil
}

func (s *Service) now() time.Time {
	if s.Now == nil {
		return time.Now().UTC()
	}
	return s.Now().UTC()
}

// oldest is when a mail was sent that is just leaving the log.
func (s *Service) oldest() time.Time { return s.now().Add(-s.Retention) }
