// Package maillog records what became of the mails that were sent. It stores the events that SES publishes, by the mail
// key that sent the mail, and serves the endpoints GET /mails/{mail_id} and GET /mails. Sending a mail writes nothing
// here.
//
// An event is written to two items, in parallel:
//
//	MAIL#<SES's id> / EVENT#<time>#<digest>           the event, with what it says of its mail
//	MAILS#<key>#<part> / SENT#<time sent>#<SES's id>  the mail's entry in the log of its key
//
// SES publishes events at best effort, in any order, perhaps more than once, and Lambda retries what fails. So neither
// write depends on what is stored already. The key of an event has a digest of its content: a repeated event overwrites
// itself. An entry has a set of outcomes and recipients, to which each event adds; the status is computed when the set
// is read. Events in any order, each any number of times, give the same items.
//
// A write takes one unit for each KB: two units for an event of a mail with one recipient, four for a mail that is sent
// and delivered, and up to seven for each event of a mail with 50. The events of each mail have a partition of their
// own. Entries are spread over four partitions of the mail key, by a digest of the mail's id. At 10,000 mails a minute,
// each sent and delivered, each of these takes 83 units a second, of the 1,000 that a partition can take.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
//
// The item of an event has at most 30 KB and an entry 150 KB, whatever an event says: long texts and lists are cut.
// DynamoDB takes 400 KB.
//
// Items expire a number of days after their mail was sent. DynamoDB deletes them later; until then they are not shown.
package maillog

import (
	"errors"
	"log/slog"
	"strconv"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/execution"
	"frontdesk/internal/base/table"

	"github.com/aws/aws-lambda-go/lambda"
)

// Service records the events of mails, and answers questions about them.
type Service struct {
	Table table.Table
	// Retention is how long a mail stays in the log, counted from when it was sent.
	Retention time.Duration
	// Log gets a line for each event; nil is for none.
	Log *slog.Logger
}

// FromEnvironment builds the service of a function from TABLE_NAME and MAIL_LOG_DAYS, which is 1 or more.
func FromEnvironment(e execution.Environment) (*Service, error) {
	t, err := table.FromEnvironment(e)
	if err != nil {
		return nil, err
	}
	days, err := strconv.Atoi(e.Getenv("MAIL_LOG_DAYS"))
	if err != nil || days < 1 {
		return nil, errors.New("MAIL_LOG_DAYS is not a number of days")
	}
	return &Service{Table: t, Retention: time.Duration(days) * 24 * time.Hour, Log: api.NewLog(e)}, nil
}

// Recorder is the program that records events: its handler is a [Service].
func Recorder(e execution.Environment) (lambda.Handler, error) { return FromEnvironment(e) }

// oldest is the time before which mails have left the log.
func (s *Service) oldest() time.Time { return time.Now().UTC().Add(-s.Retention) }
