package table

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Change is an update of one item on a condition, as expressions and the values that they name. guregu/dynamo has
// updates too, but none that gives the item whose condition fails.
type Change struct {
	Update, If string
	Values     map[string]types.AttributeValue
}

// Change makes a change of the item of a key. Where its condition fails, written is false and the item as it was found
// is decoded into found: to write and to look whether one may is one round trip.
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
