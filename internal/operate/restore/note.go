package restore

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/base/table"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Record says when the table was last reopened. A restored table contains the record of the table it was restored from.
type Record struct {
	table.Key
	At   time.Time `dynamo:"reopened_at"` // when reopening began
	From string    `dynamo:"reopened_from"`
	AsOf time.Time `dynamo:"as_of,omitempty"` // when the list was begun; zero if the source is a table
}

// note writes the record. Its time is the start: whatever was created in the table after that is new.
func note(ctx context.Context, t table.Table, began time.Time, from Source) error {
	tx := t.Tx()
	tx.Put(t.Put(Record{Key: table.Reopened, At: began, From: from.Name, AsOf: from.At}), nil)
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("note that the table is reopened: %w", err)
	}
	return nil
}

// ReopenedSince reports whether the last reopening came after the table was restored. The zero time means never.
func ReopenedSince(d types.TableDescription, last time.Time) bool {
	return !last.IsZero() && (d.RestoreSummary == nil || !aws.ToTime(d.RestoreSummary.RestoreDateTime).After(last))
}

// LastReopening returns when the table was last reopened, or the zero time.
func LastReopening(ctx context.Context, t table.Table) (time.Time, error) {
	items, err := t.Read(ctx, table.Reopened)
	if err != nil {
		return time.Time{}, err
	}
	var last Record
	_, err = items.Get(table.Reopened, &last)
	return last.At, err
}
