// Command get-item is a function like the SDK's own examples: it reads one item by its key, and answers with it as
// JSON. It authenticates no caller and logs nothing.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// user is the record that show-user answers with as well.
type user struct {
	ID        int64  `dynamodbav:"id" json:"id"`
	Name      string `dynamodbav:"name" json:"name"`
	Email     string `dynamodbav:"email" json:"email"`
	CreatedAt string `dynamodbav:"created_at" json:"created_at"`
	UpdatedAt string `dynamodbav:"updated_at" json:"updated_at"`
}

type handler struct {
	client *dynamodb.Client
	table  string
}

func (h handler) get(ctx context.Context, r events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	out, err := h.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String(h.table),
		Key: map[string]types.AttributeValue{
			"PK": &types.AttributeValueMemberS{Value: r.PathParameters["id"]},
			"SK": &types.AttributeValueMemberS{Value: "USER"},
		},
		ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return events.APIGatewayV2HTTPResponse{}, fmt.Errorf("get item: %w", err)
	}
	if out.Item == nil {
		return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusNotFound}, nil
	}
	var u user
	if err := attributevalue.UnmarshalMap(out.Item, &u); err != nil {
		return events.APIGatewayV2HTTPResponse{}, fmt.Errorf("decode item: %w", err)
	}
	body, err := json.Marshal(u)
	if err != nil {
		return events.APIGatewayV2HTTPResponse{}, fmt.Errorf("encode item: %w", err)
	}
	return events.APIGatewayV2HTTPResponse{
		StatusCode: http.StatusOK,
		Headers:    map[string]string{"content-type": "application/json"},
		Body:       string(body),
	}, nil
}

func main() {
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	h := handler{client: dynamodb.NewFromConfig(cfg), table: os.Getenv("TABLE_NAME")}
	lambda.Start(h.get)
}
