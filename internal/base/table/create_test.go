package table_test

import (
	"context"
	"reflect"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TestCreateMakesTheTableOfTheTemplate compares the created table with the one that the local stack made from
// template.yaml. A second call must find nothing to do.
func TestCreateMakesTheTableOfTheTemplate(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t, fixture.WithoutFunctions(t))
		client := dynamodb.NewFromConfig(stack.Operator())
		name := stack.Environ()["TABLE_NAME"]
		tab := table.Open(stack.Operator(), name+"-by-hand")
		t.Cleanup(func() {
			byHand := aws.String(tab.Name())
			_, _ = client.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: byHand})
		})
		for i, want := range []bool{true, false} {
			if created, err := tab.Create(t.Context()); err != nil || created != want {
				t.Fatalf("call %d: created %t, %v", i, created, err)
			}
		}
		type shape struct {
			Keys       []types.KeySchemaElement
			Attributes []types.AttributeDefinition
			Billing    types.BillingMode
			TTL        string
			Enabled    bool
		}
		describe := func(name string) shape {
			table, err := client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &name})
			if err != nil {
				t.Fatal(err)
			}
			ttl, err := client.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: &name})
			if err != nil {
				t.Fatal(err)
			}
			return shape{
				table.Table.KeySchema, table.Table.AttributeDefinitions, table.Table.BillingModeSummary.BillingMode,
				aws.ToString(ttl.TimeToLiveDescription.AttributeName),
				ttl.TimeToLiveDescription.TimeToLiveStatus != types.TimeToLiveStatusDisabled,
			}
		}
		if got, want := describe(tab.Name()), describe(name); !reflect.DeepEqual(got, want) {
			t.Errorf("created %+v\nwant    %+v", got, want)
		}
	})
}
