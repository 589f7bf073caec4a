package table

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// Change is a conditional update of one item: two expressions and the values that they name. It exists because the
// updates of guregu/dynamo do not return the item if the condition fails.
type Change struct {
	Update, If string
	Values     map[string]any // by their names in the expressions, such as ":n"
}

// Set is a set of strings among the values of a [Change].
type Set []string

// MarshalDynamo implements [dynamo.Marshaler]: a slice alone would be a list, to which DynamoDB adds no elements.
func (s Set) MarshalDynamo() (types.AttributeValue, error) {
	return &types.AttributeValueMemberSS{Value: s}, nil
}

// Change applies c to the item with key k. If the condition fails, written is false, and the item as DynamoDB found it
// is decoded into found. So a write and the question why it was refused take one round trip.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateItem.html
func (t Table) Change(ctx context.Context, k Key, c Change, found any) (written bool, err error) {
	values := make(map[string]types.AttributeValue, len(c.Values))
	for name, value := range c.Values {
		encoded, err := dynamo.Marshal(value)
		if err != nil {
			return false, err
		}
		values[name] = encoded
	}
	_, err = t.db.Client().UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                           aws.String(t.Name()),
		Key:                                 k.attributes(),
		UpdateExpression:                    &c.Update,
		ConditionExpression:                 &c.If,
		ExpressionAttributeValues:           values,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return false, Decode(failed.Item, found)
	}
	return err == nil, err
}
