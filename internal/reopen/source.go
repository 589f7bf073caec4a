package reopen

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/table"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Source is what is known later than the restored table: another table, or a list of one.
type Source struct {
	Name string
	At   time.Time // when a list was begun; zero for a table, which is of now
	// Read reads up to table.MaxItems items.
	Read func(ctx context.Context, keys ...table.Key) (table.Items, error)

	restoredFrom string // the ARN of the table that this one was restored from
}

// FromTable is a table that the restored one takes the place of.
func FromTable(ctx context.Context, t table.Table) (Source, error) {
	d, err := t.Describe(ctx)
	if _, absent := errors.AsType[*types.ResourceNotFoundException](err); absent {
		return Source{}, fmt.Errorf("there is no table %s, and no such file", t.Name())
	}
	if err != nil {
		return Source{}, err
	}
	s := Source{Name: t.Name(), Read: t.Read}
	if d.RestoreSummary != nil {
		s.restoredFrom = aws.ToString(d.RestoreSummary.SourceTableArn)
	}
	return s, nil
}

// Nothing is the source where nothing has ended since the backup: what nobody knows ends alone.
func Nothing(t table.Table) Source { return Source{Name: "nothing has ended since", Read: t.Read} }

// check refuses a source that is not later than the table: all that the table has more would be ended.
func (s Source) check(of types.TableDescription) error {
	if s.restoredFrom != "" && s.restoredFrom == aws.ToString(of.TableArn) {
		return fmt.Errorf("%s was restored from this table, and not this one from it: give them the other way around",
			s.Name)
	}
	if of.RestoreSummary == nil || s.At.IsZero() {
		return nil
	}
	if to := aws.ToTime(of.RestoreSummary.RestoreDateTime).UTC(); to.After(s.At) {
		return fmt.Errorf("%s is a list of %s, but the table was restored to a later time, %s: the list says nothing "+
			"that the table does not", s.Name, s.At.Format(time.RFC3339), to.Format(time.RFC3339))
	}
	return nil
}
