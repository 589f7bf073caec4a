package samtemplate

import (
	"encoding/json"
	"slices"

	"frontdesk/internal/develop/local/document"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// createProperties are the properties of an AWS::DynamoDB::Table that CreateTable has, too, by the same names.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-dynamodb-table.html
var createProperties = []string{"AttributeDefinitions", "BillingMode", "KeySchema"}

// table reads an AWS::DynamoDB::Table. It turns the properties into the input of CreateTable by way of JSON.
// Encryption and the protection from deletion concern operation, and exist only in the cloud.
func (s *scope) table(id string, r resource) Table {
	properties := document.Lookup(r.body, "Properties")
	s.checkKeys(properties, "the table "+id, append(slices.Clone(createProperties), "TimeToLiveSpecification",
		"PointInTimeRecoverySpecification", "DeletionProtectionEnabled", "SSESpecification")...)
	fields := make(map[string]any)
	for _, name := range createProperties {
		n := s.property(properties, name)
		if n == nil {
			continue
		}
		var value any
		if err := n.Decode(&value); err != nil {
			panic(s.fail(n, "%s of the table %s: %w", name, id, err))
		}
		fields[name] = value
	}
	input := new(dynamodb.CreateTableInput)
	encoded, err := json.Marshal(fields)
	if err == nil {
		err = json.Unmarshal(encoded, input)
	}
	if err != nil {
		panic(s.fail(r.key, "the table %s: %w", id, err))
	}
	// Checked here, because the error of CreateTable would not name the line.
	if key(input.KeySchema, types.KeyTypeHash) == "" {
		panic(s.fail(r.key, "the table %s has no HASH key in its KeySchema", id))
	}
	table := Table{Name: s.physicalName(r.key, id), Input: input}
	input.TableName = aws.String(table.Name)
	// These two are no parameters of CreateTable, but calls of their own.
	expiry := s.property(properties, "TimeToLiveSpecification")
	attribute, enabled := document.Lookup(expiry, "AttributeName"), document.Lookup(expiry, "Enabled")
	if attribute != nil && enabled != nil && enabled.Value == "true" {
		table.TTLAttribute = attribute.Value
	}
	recovery := s.property(properties, "PointInTimeRecoverySpecification")
	recovery = document.Lookup(recovery, "PointInTimeRecoveryEnabled")
	table.Recovery = recovery != nil && recovery.Value == "true"
	return table
}

// PartitionKey returns the name of the partition key.
func (t Table) PartitionKey() string { return key(t.Input.KeySchema, types.KeyTypeHash) }

// SortKey returns the name of the sort key, or "" if the table has none.
func (t Table) SortKey() string { return key(t.Input.KeySchema, types.KeyTypeRange) }

// key returns the name of the hash or the range attribute, or "" if there is none.
func key(schema []types.KeySchemaElement, keyType types.KeyType) string {
	for _, element := range schema {
		if element.KeyType == keyType {
			return aws.ToString(element.AttributeName)
		}
	}
	return ""
}
