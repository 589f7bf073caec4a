package reopen

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/table"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Record is the record of the last time that a table was reopened. A restore brings back that of its source.
type Record struct {
	table.Key
	At   time.Time `dynamo:"reopened_at"` // when that began
	From string    `dynamo:"reopened_from"`
	AsOf time.Time `dynamo:"as_of,omitempty"` // of the list; zero for a table
}

func note(ctx context.Context, t table.Table, began time.Time, from Source) error {
	tx := t.Tx()
	tx.Put(t.Put(Record{Key: table.Reopened, At: began, From: from.Name, AsOf: from.At}), nil)
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("note that the table is reopened: %w", err)
	}
	return nil
}

// Since reports whether a table that was last reopened at a time, zero for never, was so after it was restored.
func Since(d types.TableDescription, last time.Time) bool {
	return !last.IsZero() && (d.RestoreSummary == nil || !aws.ToTime(d.RestoreSummary.RestoreDateTime).After(last))
}

// Last is when a table was last reopened, the zero time for never.
func Last(ctx context.Context, t table.Table) (time.Time, error) {
	items, err := t.Read(ctx, table.Reopened)
	if err != nil {
		return time.Time{}, err
	}
	var last Record
	_, err = items.Get(table.Reopened, &last)
	return last.At, err
}
