package awsproxy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// operation is a DynamoDB call that concerns the items of one partition.
type operation struct {
	name     string
	actions  []string // that IAM requires
	resource string
	call     func(ctx context.Context, db *dynamodb.Client, pk string) error
}

// str returns a string as an attribute's value.
func str(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }

// query returns a query for a partition, with :pk in the expression for its key.
func query(expression string, names map[string]string) func(context.Context, *dynamodb.Client, string) error {
	return func(ctx context.Context, db *dynamodb.Client, pk string) error {
		// Not every expression uses :a and :b. The AWS proxy does not mind values that are left over, as DynamoDB
		// would.
		values := map[string]types.AttributeValue{":pk": str(pk), ":a": str("MINE"), ":b": str("MINE")}
		in := &dynamodb.QueryInput{
			TableName:                 aws.String(tableName),
			KeyConditionExpression:    aws.String(expression),
			ExpressionAttributeNames:  names,
			ExpressionAttributeValues: values,
		}
		_, err := db.Query(ctx, in)
		return err
	}
}

// equals and greater are conditions of KeyConditions, the older form of a query.
func equals(value string) types.Condition {
	return types.Condition{
		ComparisonOperator: types.ComparisonOperatorEq, AttributeValueList: []types.AttributeValue{str(value)},
	}
}

// greater returns the condition that an attribute is greater than a value.
func greater(value string) types.Condition {
	return types.Condition{
		ComparisonOperator: types.ComparisonOperatorGt, AttributeValueList: []types.AttributeValue{str(value)},
	}
}

// batchWrite returns a request with these writes to the one table.
func batchWrite(writes ...types.WriteRequest) *dynamodb.BatchWriteItemInput {
	return &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{tableName: writes}}
}

// putRequest returns a batch's write of the item of [withKey].
func putRequest(pk string) types.WriteRequest {
	return types.WriteRequest{PutRequest: &types.PutRequest{Item: withKey(pk)}}
}

// deleteRequest returns a batch's deletion of the item of [withKey].
func deleteRequest(pk string) types.WriteRequest {
	return types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: withKey(pk)}}
}

// transact returns a request for one transaction, to which the SDK adds a client token.
func transact(items ...types.TransactWriteItem) *dynamodb.TransactWriteItemsInput {
	return &dynamodb.TransactWriteItemsInput{TransactItems: items}
}

// conditionCheck returns one of a transaction's operations.
func conditionCheck(pk string) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: aws.String(tableName), Key: withKey(pk), ConditionExpression: aws.String("attribute_exists(PK)"),
	}}
}

// keyedOperations are all operations with leading keys, with the actions that IAM requires for each.
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
var keyedOperations = []operation{
	{"GetItem", []string{"GetItem"}, tableARN,
		func(ctx context.Context, db *dynamodb.Client, pk string) error {
			_, err := db.GetItem(ctx, getItem(pk))
			return err
		}},
	// Every request may give the table's ARN in place of its name.
	{"GetItem by the table's ARN", []string{"GetItem"}, tableARN,
		func(ctx context.Context, db *dynamodb.Client, pk string) error {
			_, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(tableARN), Key: withKey(pk)})
			return err
		}},
	{"PutItem", []string{"PutItem"}, tableARN,
		func(ctx context.Context, db *dynamodb.Client, pk string) error {
			_, err := db.PutItem(ctx, putItem(pk))
			return err
		}},
	{"UpdateItem", []string{"UpdateItem"}, tableARN,
		func(ctx context.Context, db *dynamodb.Client, pk string) error {
			_, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: aws.String(tableName), Key: withKey(pk)})
			return err
		}},
	{"DeleteItem", []string{"DeleteItem"}, tableARN,
		func(ctx context.Context, db *dynamodb.Client, pk string) error {
			_, err := db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String(tableName), Key: withKey(pk)})
			return err
		}},
	// In a batch, the other item is one that the policy allows: a single foreign key refuses the whole call.
	{"BatchGetItem, one key among ours", []string{"BatchGetItem"}, tableARN,
		func(ctx context.Context, db *dynamodb.Client, pk string) error {
			_, err := db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
				tableName: {Keys: []map[string]types.AttributeValue{withKey("MINE"), withKey(pk)}},
			}})
			return err
		}},
	{"BatchWriteItem, one put among ours", []string{"BatchWriteItem"}, tableARN,
		func(ctx context.Context, db *dynamodb.Client, pk string) error {
			_, err := db.BatchWriteItem(ctx, batchWrite(deleteRequest("MINE"), putRequest(pk)))
			return err
		}},
	{"BatchWriteItem, one delete among ours", []string{"BatchWriteItem"}, tableARN,
		func(ctx context.Context, db *dynamodb.Client, pk string) error {
			_, err := db.BatchWriteItem(ctx, batchWrite(putRequest("MINE"), deleteRequest(pk)))
			return err
		}},
	// There is no action TransactGetItems or TransactWriteItems: IAM asks for the action of each operation inside.
	// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
	{"TransactGetItems", []string{"GetItem"}, tableARN,
		func(ctx context.Context, db *dynamodb.Client, pk string) error {
			get := func(pk string) types.TransactGetItem {
				return types.TransactGetItem{Get: &types.Get{TableName: aws.String(tableName), Key: withKey(pk)}}
			}
			_, err := db.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{
				TransactItems: []types.TransactGetItem{get("MINE"), get(pk)},
			})
			return err
		}},
	{"TransactWriteItems, all four", []string{"ConditionCheckItem", "PutItem", "UpdateItem", "DeleteItem"}, tableARN,
		func(ctx context.Context, db *dynamodb.Client, pk string) error {
			_, err := db.TransactWriteItems(ctx, transact(
				conditionCheck("MINE"),
				types.TransactWriteItem{Put: &types.Put{TableName: aws.String(tableName), Item: withKey(pk)}},
				types.TransactWriteItem{Update: &types.Update{
					TableName: aws.String(tableName), Key: withKey("MINE"), UpdateExpression: aws.String("REMOVE A")}},
				types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String(tableName), Key: withKey("MINE")}},
			))
			return err
		}},
	{"TransactWriteItems, a condition check alone", []string{"ConditionCheckItem"}, tableARN,
		func(ctx context.Context, db *dynamodb.Client, pk string) error {
			_, err := db.TransactWriteItems(ctx, transact(conditionCheck(pk)))
			return err
		}},
	{"Query", []string{"Query"}, tableARN,
		query("PK = :pk", nil)},
	{"Query with #names", []string{"Query"}, tableARN,
		// The expression is parsed only as far as necessary: spaces, parentheses and the order of conditions do
		// not matter.
		query("#k=:pk AND begins_with(#s,:a)", map[string]string{"#k": "PK", "#s": "SK"})},
	{"Query with parentheses", []string{"Query"}, tableARN,
		query("(PK = :pk) AND (SK >= :a)", nil)},
	{"Query with the partition key last", []string{"Query"}, tableARN,
		query("SK BETWEEN :a AND :b AND PK = :pk", nil)},
	{"Query with KeyConditions", []string{"Query"}, tableARN,
		func(ctx context.Context, db *dynamodb.Client, pk string) error {
			_, err := db.Query(ctx, &dynamodb.QueryInput{
				TableName:     aws.String(tableName),
				KeyConditions: map[string]types.Condition{"PK": equals(pk), "SK": greater("A")},
			})
			return err
		}},
}

// onPartition is the condition of a policy that all leading keys are MINE.
const onPartition = "ForAllValues:StringLike: {dynamodb:LeadingKeys: MINE}"

// allowPartition allows actions on a resource, but only for items of the partition MINE.
func allowPartition(actions []string, resource string) string {
	return "- Statement: [{Effect: Allow, Action: ['dynamodb:" + strings.Join(actions, "', 'dynamodb:") + "'], " +
		"Resource: '" + resource + "', Condition: {" + onPartition + "}}]"
}

// TestOperationNeedsItsActionsAndKeys runs each operation with exactly the permissions that it needs, and then without
// each of them: another partition, one action less, another resource. So a permission that the AWS proxy forgets to ask
// for fails here, and one too many fails as well.
func TestOperationNeedsItsActionsAndKeys(t *testing.T) {
	ctx := context.Background()
	for _, op := range keyedOperations {
		t.Run(op.name, func(t *testing.T) {
			db := newProxiedServices(t, withTable(allowPartition(op.actions, op.resource))).dynamodb("F", "request")
			if err := op.call(ctx, db, "MINE"); err != nil {
				t.Errorf("the partition that is allowed: %v", err)
			}
			wantDenied(t, op.call(ctx, db, "THEIRS"), op.actions, op.resource)
			// Everything but one action, so that the error can only be about this one.
			for _, missing := range op.actions {
				policy := strings.Replace(allowAll, "dynamodb:"+missing+",", "", 1)
				db := newProxiedServices(t, withTable(policy)).dynamodb("F", "request")
				wantDenied(t, op.call(ctx, db, "MINE"), []string{missing}, op.resource)
			}
			db = newProxiedServices(t, withTable(allowPartition(op.actions, op.resource+"2"))).dynamodb("F", "request")
			wantDenied(t, op.call(ctx, db, "MINE"), op.actions, op.resource)
		})
	}
}

// wantDenied fails unless err refuses one of the actions on the resource.
func wantDenied(t *testing.T, err error, actions []string, resource string) {
	t.Helper()
	for _, action := range actions {
		if err != nil && strings.Contains(err.Error(), fmt.Sprintf("AccessDeniedException: User: "+
			"arn:aws:sts::123456789012:assumed-role/desk-FRole/desk-F is not authorized to perform: "+
			"dynamodb:%s on resource: %s ", action, resource)) {
			return
		}
	}
	t.Errorf("error %v, want one of %v refused on %s", err, actions, resource)
}

// TestOperationsWithoutLeadingKeys shows operations on a whole table, and those whose keys the AWS proxy cannot know.
// What it cannot know it refuses if the policy has a condition on keys.
func TestOperationsWithoutLeadingKeys(t *testing.T) {
	type caller func(context.Context, *dynamodb.Client) error
	scan := func(index *string) caller {
		return func(ctx context.Context, db *dynamodb.Client) error {
			_, err := db.Scan(ctx, &dynamodb.ScanInput{TableName: aws.String(tableName), IndexName: index})
			return err
		}
	}
	describe := func(ctx context.Context, db *dynamodb.Client) error {
		_, err := db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(tableName)})
		return err
	}
	describeTTL := func(ctx context.Context, db *dynamodb.Client) error {
		_, err := db.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(tableName)})
		return err
	}
	deleteTable := func(ctx context.Context, db *dynamodb.Client) error {
		_, err := db.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(tableName)})
		return err
	}
	// The AWS proxy does not parse PartiQL, so it knows neither the table nor the keys of a statement.
	partiQL := func(ctx context.Context, db *dynamodb.Client) error {
		_, err := db.ExecuteStatement(ctx, &dynamodb.ExecuteStatementInput{
			Statement: aws.String(`SELECT * FROM "desk-Table"`),
		})
		return err
	}
	queryIndex := func(ctx context.Context, db *dynamodb.Client) error {
		_, err := db.Query(ctx, &dynamodb.QueryInput{
			TableName: aws.String(tableName), IndexName: aws.String("ByOwner"),
			KeyConditionExpression:    aws.String("PK = :a"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":a": str("MINE")}})
		return err
	}
	queryOtherTable := func(ctx context.Context, db *dynamodb.Client) error {
		_, err := db.Query(ctx, &dynamodb.QueryInput{
			TableName: aws.String("other"), KeyConditionExpression: aws.String("PK = :a"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":a": str("MINE")}})
		return err
	}
	queryAll := func(ctx context.Context, db *dynamodb.Client) error {
		_, err := db.Query(ctx, &dynamodb.QueryInput{
			TableName: aws.String(tableName), KeyConditionExpression: aws.String("PK = :missing"),
		})
		return err
	}
	// DynamoDB would refuse this key. The AWS proxy comes first, and must not take the absent partition key for an
	// allowed one.
	emptyKey := func(ctx context.Context, db *dynamodb.Client) error {
		_, err := db.GetItem(ctx, &dynamodb.GetItemInput{
			TableName: aws.String(tableName), Key: map[string]types.AttributeValue{"SK": str("X")},
		})
		return err
	}
	const (
		// Two statements: without a condition, and with a condition that also holds for no keys.
		plain    = "{Effect: Allow, Action: 'dynamodb:%s', Resource: '%s'}"
		ours     = "{Effect: Allow, Action: 'dynamodb:%s', Resource: '%s', Condition: {" + onPartition + "}}"
		indexARN = tableARN + "/index/ByOwner"
		otherARN = "arn:aws:dynamodb:eu-west-1:123456789012:table/other"
	)
	for _, c := range []struct {
		name, statement, action, resource string
		call                              caller
		want                              bool
	}{
		{"Scan is allowed by its action", plain, "Scan", tableARN, scan(nil), true},
		{"Scan has no leading key, so that ForAllValues alone holds", ours, "Scan", tableARN, scan(nil), true},
		{"Scan of an index needs the index", plain, "Scan", tableARN, scan(aws.String("ByOwner")), false},
		{"Scan of an index is allowed on the index", plain, "Scan", indexARN, scan(aws.String("ByOwner")), true},
		{"DescribeTable", plain, "DescribeTable", tableARN, describe, true},
		{"DescribeTable needs its action", plain, "GetItem", tableARN, describe, false},
		{"DescribeTimeToLive", plain, "DescribeTimeToLive", tableARN, describeTTL, true},
		{"DeleteTable", plain, "DeleteTable", tableARN, deleteTable, true},
		{"DeleteTable is never a matter of leading keys", ours, "DeleteTable", tableARN, deleteTable, false},
		{"PartiQL is not allowed on one table", plain, "ExecuteStatement", tableARN, partiQL, false},
		{"the keys of an index are not known", ours, "Query", indexARN, queryIndex, false},
		{"an index needs no keys", plain, "Query", indexARN, queryIndex, true},
		{"the keys of a table that is not in the template", ours, "Query", otherARN, queryOtherTable, false},
		{"a table that is not in the template needs no keys", plain, "Query", otherARN, queryOtherTable, true},
		{"a Query whose key is not given", ours, "Query", tableARN, queryAll, false},
		{"a key without its partition key", ours, "GetItem", tableARN, emptyKey, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newProxiedServices(t, withTable("- Statement: ["+fmt.Sprintf(c.statement, c.action, c.resource)+"]"))
			err := c.call(context.Background(), s.dynamodb("F", "request"))
			if denied := err != nil && strings.Contains(err.Error(), "AccessDeniedException"); denied == c.want {
				t.Errorf("error %v, want allowed %v", err, c.want)
			}
			if reached := len(s.database.got()) == 1; reached != c.want {
				t.Errorf("reached the database: %v, want %v", reached, c.want)
			}
		})
	}
}

// TestLeadingKeysOfOtherTypes shows how a number and bytes are compared with the text in a policy. A number is not
// normalized: 007 is not 7.
func TestLeadingKeysOfOtherTypes(t *testing.T) {
	for _, c := range []struct {
		name  string
		value types.AttributeValue
		want  string
	}{
		{"a number as written", &types.AttributeValueMemberN{Value: "007"}, "007"},
		{"bytes in base64", &types.AttributeValueMemberB{Value: []byte("key")}, "a2V5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			policy := strings.ReplaceAll(allowPartition([]string{"GetItem"}, tableARN), "MINE", "'"+c.want+"'")
			db := newProxiedServices(t, withTable(policy)).dynamodb("F", "request")
			_, err := db.GetItem(context.Background(), &dynamodb.GetItemInput{
				TableName: aws.String(tableName), Key: map[string]types.AttributeValue{"PK": c.value, "SK": str("X")}})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAttributesOfAnUpdate shows which attributes an update names, alone and in a transaction. The policy knows those
// of the key, A and user.
func TestAttributesOfAnUpdate(t *testing.T) {
	s := newProxiedServices(t, withTable("- Statement: [{Effect: Allow, "+
		"Action: ['dynamodb:UpdateItem', 'dynamodb:PutItem'], Resource: '"+tableARN+"', "+
		"Condition: {ForAllValues:StringEquals: {dynamodb:Attributes: [PK, SK, A, user]}}}]"))
	db := s.dynamodb("F", "request")
	for _, c := range []struct {
		name, update, condition string
		names                   map[string]string
		want                    bool
	}{
		{"none but the key", "", "", nil, true},
		{"one that is set", "SET A = :v", "", nil, true},
		{"another that is set", "SET B = :v", "", nil, false},
		{"another behind one", "SET A = :v, B = :v", "", nil, false},
		{"another behind one, without spaces", "SET A=:v,B=:v", "", nil, false},
		{"clauses", "SET A = :v REMOVE user ADD A :n DELETE user :s", "", nil, true},
		{"another that is removed", "set A = :v remove B", "", nil, false},
		{"another that is added to", "ADD B :n", "", nil, false},
		{"another that is deleted from", "DELETE B :s", "", nil, false},
		{"another that is copied", "SET A = B", "", nil, false},
		{"another that is copied by a function", "SET A = if_not_exists(B, :v)", "", nil, false},
		{"functions and sums", "SET A = list_append(A, :v), user = user + :n - :n", "size(A) > :n", nil, true},
		{"a #name", "SET #u = :v", "", map[string]string{"#u": "user"}, true},
		{"a #name of another", "SET #A = :v", "", map[string]string{"#A": "B"}, false},
		{"a #name of none", "SET #A = :v", "", nil, false},
		{"a path below one", "SET A.B[0].C = :v, #u.#b = :v", "", map[string]string{"#u": "user", "#b": "B"}, true},
		{"a path below another", "SET B.A = :v", "", nil, false},
		{"a condition", "SET A = :v", "A = :v AND NOT (user IN (:v) OR A BETWEEN :v AND :n)", nil, true},
		{"a condition on another", "SET A = :v", "A = :v and B = :v", nil, false},
		{"a condition on another, by a function", "SET A = :v", "attribute_exists(B)", nil, false},
		{"a condition on another, behind a function", "SET A = :v", "begins_with(A,:v)AND B<>:v", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			optional := func(expression string) *string {
				if expression == "" {
					return nil
				}
				return &expression
			}
			alone := &dynamodb.UpdateItemInput{
				TableName: aws.String(tableName), Key: withKey("X"), UpdateExpression: optional(c.update),
				ConditionExpression: optional(c.condition), ExpressionAttributeNames: c.names,
			}
			together := types.TransactWriteItem{Update: &types.Update{
				TableName: alone.TableName, Key: alone.Key, UpdateExpression: aws.String(c.update),
				ConditionExpression: alone.ConditionExpression, ExpressionAttributeNames: c.names,
			}}
			_, err := db.UpdateItem(context.Background(), alone)
			_, errTogether := db.TransactWriteItems(context.Background(), transact(together))
			for _, err := range []error{err, errTogether} {
				if allowed := err == nil || !strings.Contains(err.Error(), "AccessDeniedException"); allowed != c.want {
					t.Errorf("error %v, want allowed %t", err, c.want)
				}
			}
		})
	}
	// The older form has no expressions, and other actions no update: their attributes are not known.
	_, err := db.UpdateItem(context.Background(), &dynamodb.UpdateItemInput{
		TableName: aws.String(tableName), Key: withKey("X"),
		AttributeUpdates: map[string]types.AttributeValueUpdate{"A": {Value: str("v")}},
	})
	wantDenied(t, err, []string{"UpdateItem"}, tableARN)
	_, err = db.PutItem(context.Background(), putItem("X"))
	wantDenied(t, err, []string{"PutItem"}, tableARN)
}
