package restore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/base/table"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// Source is the later knowledge with which a restored table is compared: another table, or a list of one.
type Source struct {
	Name string
	At   time.Time // when the list was begun; zero for a table, which is current
	table.Later

	// each visits all items, page by page. It is nil if there is nothing to visit.
	each func(context.Context, func(context.Context, []dynamo.Item) error) error

	table        string // ARN of this table, or of the list's table; "" if nothing has ended
	restoredFrom string // ARN of the table from which this one was restored
}

// FromTable returns the source for the table that the restored one replaces.
func FromTable(ctx context.Context, t table.Table) (Source, error) {
	d, err := t.Describe(ctx)
	if _, absent := errors.AsType[*types.ResourceNotFoundException](err); absent {
		return Source{}, fmt.Errorf("there is no table %s, and no such file", t.Name())
	}
	if err != nil {
		return Source{}, err
	}
	s := Source{Name: t.Name(), Later: t, each: t.ScanAll, table: aws.ToString(d.TableArn)}
	if d.RestoreSummary != nil {
		s.restoredFrom = aws.ToString(d.RestoreSummary.SourceTableArn)
	}
	return s, nil
}

// NothingEnded returns the source for the case that nothing has ended since the backup. Only kinds that end always do.
func NothingEnded(t table.Table) Source {
	return Source{Name: "nothing has ended since", Later: t}
}

// check refuses a source from which the table was not restored, and one that is not later than the table: everything
// that the table has in addition would be ended.
func (s Source) check(described types.TableDescription, o Options) error {
	name, arn := aws.ToString(described.TableName), aws.ToString(described.TableArn)
	if s.table == "" {
		return nil
	}
	if s.restoredFrom == arn {
		return fmt.Errorf("%s was restored from this table, and not this one from it: give them the other way around",
			s.Name)
	}
	if described.RestoreSummary == nil {
		if o.Imported {
			return nil
		}
		return fmt.Errorf("table %s was not restored from a backup: what it has and %s has not would end; "+
			"--imported is for a table that was imported, and has taken no traffic", name, s.Name)
	}
	if from := aws.ToString(described.RestoreSummary.SourceTableArn); from != s.table && !o.Chain {
		return fmt.Errorf("table %s was restored from %q, and %s is of %s; --chain is for one that took the place of "+
			"the former", name, from, s.Name, s.table)
	}
	if to := aws.ToTime(described.RestoreSummary.RestoreDateTime).UTC(); !s.At.IsZero() && to.After(s.At) {
		return fmt.Errorf("%s is a list of %s, but the table was restored to a later time, %s: the list says nothing "+
			"that the table does not", s.Name, s.At.Format(time.RFC3339), to.Format(time.RFC3339))
	}
	return nil
}
