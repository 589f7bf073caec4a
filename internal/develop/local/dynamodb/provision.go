package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/develop/local/samtemplate"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// tableWait is how long a table may take to become active.
const tableWait = time.Minute

// createTables creates missing tables, waits until they are active, and enables their time to live. It leaves a table
// that has to exist as it is.
func createTables(ctx context.Context, client *dynamodb.Client, tables []samtemplate.Table) error {
	for _, t := range tables {
		if err := createTable(ctx, client, t); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	return nil
}

// createTable does that for one table. For one that has to exist, it only checks that it does.
func createTable(ctx context.Context, client *dynamodb.Client, t samtemplate.Table) error {
	if t.Exists {
		if _, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &t.Name}); err != nil {
			return fmt.Errorf("look at it, which has to exist: %w", err)
		}
		return nil
	}
	_, err := client.CreateTable(ctx, t.Input)
	// A table from the last run is used as it is.
	exists := (*types.ResourceInUseException)(nil)
	if err != nil && !errors.As(err, &exists) {
		return fmt.Errorf("create it: %w", err)
	}
	active := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 20*time.Millisecond, time.Second // the SDK's own 20 s and more are meant for AWS
	})
	if err := active.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &t.Name}, tableWait); err != nil {
		return fmt.Errorf("wait until it is active: %w", err)
	}
	if t.TTLAttribute == "" {
		return nil
	}
	if exists != nil {
		ttl, err := client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &t.Name})
		if err != nil {
			return fmt.Errorf("describe its TTL: %w", err)
		}
		// DynamoDB refuses to enable it twice.
		if d := ttl.TimeToLiveDescription; d != nil && d.TimeToLiveStatus == types.TimeToLiveStatusEnabled {
			return nil
		}
	}
	expiry := types.TimeToLiveSpecification{AttributeName: &t.TTLAttribute, Enabled: aws.Bool(true)}
	_, err = client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName: &t.Name, TimeToLiveSpecification: &expiry,
	})
	if err != nil {
		return fmt.Errorf("enable its TTL: %w", err)
	}
	return nil
}
