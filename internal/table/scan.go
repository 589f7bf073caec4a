package table

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/api"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// scanWithin is for how long a page is asked for: longer than a request has, since whoever scans is in no hurry.
const scanWithin = time.Minute

// ScanPage reads up to limit items, and 1 MB, of one of the segments that the table is divided into, strongly
// consistent: those after a key, from the beginning after the zero Key. It gives the key of the last item that was
// read, the zero Key at the end of the segment. It is for operators: a scan reads the whole table.
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
	scanSegments  = 4    // that are read side by side
	scanPageItems = 1000 // that a segment has in memory
)

// ScanAll reads the whole table, segments side by side, and visits each page of up to 1,000 items. Pages are visited at
// the same time. The first error ends it.
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

// Size is what DynamoDB tells of a table.
type Size struct {
	ID    string // another one when a table of that name is made anew
	Items int64  // about as many; DynamoDB counts every six hours
}

// Size asks for the size of the table. It is the zero Size where the credentials do not permit dynamodb:DescribeTable.
func (t Table) Size(ctx context.Context) Size {
	d, err := t.Describe(ctx)
	if err != nil {
		return Size{}
	}
	return Size{aws.ToString(d.TableId), aws.ToInt64(d.ItemCount)}
}

// Describe is all that DynamoDB tells of the table.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TableDescription.html
func (t Table) Describe(ctx context.Context) (types.TableDescription, error) {
	out, err := t.db.Client().DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(t.Name())})
	if err != nil {
		return types.TableDescription{}, fmt.Errorf("describe table %s: %w", t.Name(), err)
	}
	return *out.Table, nil
}
