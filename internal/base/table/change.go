package table

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Change is a conditional update of one item: two expressions and the values that they name. It exists because the
// updates of guregu/dynamo do not return the item if the condition fails.
type Change struct {
	Update, If string
	Values     map[string]types.AttributeValue
}

// Change applies c to the item with key k. If the condition fails, written is false, and the item as DynamoDB found it
// is decoded into found. So a write and the question why it was refused take one round trip.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateItem.html
func (t Table) Change(ctx context.Context, k Key, c Change, found any) (written bool, err error) {
	_, err = t.db.Client().UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                           aws.String(t.Name()),
		Key:                                 k.attributes(),
		UpdateExpression:                    &c.Update,
		ConditionExpression:                 &c.If,
		ExpressionAttributeValues:           c.Values,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return false, Decode(failed.Item, found)
	}
	return err == nil, err
}
