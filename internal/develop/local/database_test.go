package local_test

import (
	"path/filepath"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TestTablesOfTheTemplateAreThere shows that a started stack has the template's table, active and with its time
// to live.
func TestTablesOfTheTemplateAreThere(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		client := dynamodb.NewFromConfig(s.Operator())
		table := aws.String(s.Environ()["TABLE_NAME"])
		out, err := client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: table})
		if err != nil {
			t.Fatal(err)
		}
		if status := out.Table.TableStatus; status != types.TableStatusActive {
			t.Errorf("the table is %s", status)
		}
		ttl, err := client.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: table})
		if err != nil {
			t.Fatal(err)
		}
		d := ttl.TimeToLiveDescription
		expect.Equal(t, aws.ToString(d.AttributeName), "expires_at")
		expect.Equal(t, d.TimeToLiveStatus, types.TimeToLiveStatusEnabled)
	})
}

// TestDataSurvivesARestart shows that Options.Data keeps the items of the database.
func TestDataSurvivesARestart(t *testing.T) {
	t.Parallel()
	localtest.NeedsOwnDatabase(t)
	data := filepath.Join(t.TempDir(), "data")
	keep := func(o *local.Options) { o.Data = data }
	item := map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: "a"}, "SK": &types.AttributeValueMemberS{Value: "b"},
	}

	s := startProcesses(t, keep)
	table := aws.String(s.Environ()["TABLE_NAME"])
	client := dynamodb.NewFromConfig(s.Operator())
	if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: table, Item: item}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	// A second stack on the same folder finds the item.
	s = startProcesses(t, keep)
	client = dynamodb.NewFromConfig(s.Operator())
	out, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: table, Key: item})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Item) != 2 {
		t.Errorf("the item is %v", out.Item)
	}
}
