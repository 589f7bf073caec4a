package dynamodb

import "regexp"

// keyCondition says which items a Query asks for: an expression or, in the older form, one condition per attribute.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html
type keyCondition struct {
	KeyConditionExpression    string
	ExpressionAttributeValues item
	KeyConditions             map[string]struct{ AttributeValueList []attributeValue }
}

// tokens splits an expression into names, #names, :values, and every other character on its own.
var tokens = regexp.MustCompile(`[#:]?\w+|\S`)

// valuesOf returns the values that the partition key must equal. It returns unknown if they cannot be determined.
func (c keyCondition) valuesOf(partitionKey string, names attributeNames) []string {
	var wanted []attributeValue
	parts := tokens.FindAllString(c.KeyConditionExpression, -1)
	// A partition key is compared as "name = :value", in this order. Anything else is unknown.
	for i := 0; i+2 < len(parts); i++ {
		if parts[i+1] == "=" && names.resolve(parts[i]) == partitionKey {
			wanted = append(wanted, c.ExpressionAttributeValues[parts[i+2]])
		}
	}
	return texts(append(wanted, c.KeyConditions[partitionKey].AttributeValueList...))
}
