package dynamodb

import "regexp"

// keyCondition is which items a Query asks for: an expression, or in the old form one condition per attribute.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html
type keyCondition struct {
	KeyConditionExpression    string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues item
	KeyConditions             map[string]struct{ AttributeValueList []attributeValue }
}

// tokens of a key condition: names, #names, :values, and every other character on its own.
var tokens = regexp.MustCompile(`[#:]?\w+|\S`)

// valuesOf are the values that the partition key must equal, unknown if they cannot be told.
func (c keyCondition) valuesOf(partitionKey string) []string {
	var wanted []attributeValue
	parts := tokens.FindAllString(c.KeyConditionExpression, -1)
	for i := 0; i+2 < len(parts); i++ {
		if parts[i+1] == "=" && c.attributeName(parts[i]) == partitionKey {
			wanted = append(wanted, c.ExpressionAttributeValues[parts[i+2]])
		}
	}
	return texts(append(wanted, c.KeyConditions[partitionKey].AttributeValueList...))
}

// attributeName resolves a #name.
func (c keyCondition) attributeName(token string) string {
	if name, ok := c.ExpressionAttributeNames[token]; ok {
		return name
	}
	return token
}
