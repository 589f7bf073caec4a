package table

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// activeWithin limits the wait for a new table. On AWS a table becomes active within seconds.
const activeWithin = 2 * time.Minute

// Create creates the table as template.yaml declares it, waits until it is active, writes its layout and enables its
// time to live. If the table exists, created is false: Create adds a missing layout or time to live, and changes
// nothing else. So a run that was interrupted is completed by the next one.
func (t Table) Create(ctx context.Context) (created bool, err error) {
	client, name := t.db.Client(), aws.String(t.Name())
	_, err = client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:   name,
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("SK"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("SK"), KeyType: types.KeyTypeRange},
		},
	})
	if _, exists := errors.AsType[*types.ResourceInUseException](err); err != nil && !exists {
		return false, fmt.Errorf("create table %s: %w", t.Name(), err)
	}
	created = err == nil

	ctx, cancel := context.WithTimeout(ctx, activeWithin)
	defer cancel()
	if err := t.Wait(ctx); err != nil {
		return created, fmt.Errorf("wait for table %s: %w", t.Name(), err)
	}
	if err := t.noteLayout(ctx); err != nil {
		return created, err
	}
	ttl, err := client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: name})
	if err != nil {
		return created, fmt.Errorf("describe time to live of %s: %w", t.Name(), err)
	}
	if d := ttl.TimeToLiveDescription; d != nil {
		if status := d.TimeToLiveStatus; status != types.TimeToLiveStatusDisabled && status != "" {
			return created, nil
		}
	}
	_, err = client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName: name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{
			AttributeName: aws.String(ExpiresAt),
			// ENABLING and DISABLING are left alone too: DynamoDB refuses a change while one is under way.
			Enabled: aws.Bool(true),
		},
	})
	if err != nil {
		return created, fmt.Errorf("enable time to live of %s: %w", t.Name(), err)
	}
	return created, nil
}
