package table

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/base/api"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// scanWithin is how long reading a page may take. It is longer than a request may run, because a scan is not urgent.
const scanWithin = time.Minute

// ScanPage reads up to limit items, at most 1 MB, of one segment of the table, strongly consistent. It begins after a
// key; the zero Key means the segment's start. It returns the key of the last item that it read, or the zero Key at the
// segment's end. It is for operators: scans read the whole table.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html
func (t Table) ScanPage(
	ctx context.Context, segment, segments, limit int, after Key,
) (items []dynamo.Item, last Key, err error) {
	ctx, cancel := context.WithTimeout(ctx, scanWithin)
	defer cancel()
	scan := t.Table.Scan().Segment(segment, segments).SearchLimit(limit).Consistent(true)
	if after != (Key{}) {
		scan.StartFrom(after.attributes())
	}
	next, err := scan.AllWithLastEvaluatedKey(ctx, &items)
	if err != nil {
		return nil, Key{}, fmt.Errorf("scan: %w", err)
	}
	return items, KeyOf(next), nil
}

const (
	scanSegments  = 4    // segments read in parallel
	scanPageItems = 1000 // items of a segment in memory at a time
)

// ScanAll reads the whole table, its segments in parallel, and calls visit for each page of up to 1,000 items. Calls of
// visit overlap. The first error ends the scan.
func (t Table) ScanAll(ctx context.Context, visit func(ctx context.Context, items []dynamo.Item) error) error {
	group, ctx := api.NewGroupContext(ctx)
	for segment := range scanSegments {
		group.Go(func() error {
			for after, ended := (Key{}), false; !ended; ended = after == (Key{}) {
				items, last, err := t.ScanPage(ctx, segment, scanSegments, scanPageItems, after)
				if err != nil {
					return err
				}
				if err := visit(ctx, items); err != nil {
					return err
				}
				after = last
			}
			return nil
		})
	}
	return group.Wait()
}

// ApproximateCount returns how many items the table has, roughly: DynamoDB counts about every six hours. It is 0 if the
// credentials do not permit dynamodb:DescribeTable, and on any other error.
func (t Table) ApproximateCount(ctx context.Context) int64 {
	d, err := t.Describe(ctx)
	if err != nil {
		return 0
	}
	return aws.ToInt64(d.ItemCount)
}

// Describe returns all that DynamoDB knows of the table.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TableDescription.html
func (t Table) Describe(ctx context.Context) (types.TableDescription, error) {
	out, err := t.db.Client().DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(t.Name())})
	if err != nil {
		return types.TableDescription{}, fmt.Errorf("describe table %s: %w", t.Name(), err)
	}
	return *out.Table, nil
}
