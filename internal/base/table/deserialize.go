package table

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"frontdesk/internal/base/table/itemjson"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// addItems makes [itemjson] decode the items of an answer, which is faster. The SDK decodes the rest of the answer.
//
// It wraps the SDK's own deserializer: "take" runs on the raw response before it and cuts the items out, "put" runs
// after it and sets them in the result.
func addItems(stack *middleware.Stack) error {
	if id := stack.ID(); id != "Query" && id != "BatchGetItem" {
		return nil
	}
	const sdk = "OperationDeserializer"
	var items []itemjson.Item // of the last attempt
	take := middleware.DeserializeMiddlewareFunc("TakeItems", func(
		ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler,
	) (middleware.DeserializeOutput, middleware.Metadata, error) {
		items = nil
		out, metadata, err := next.HandleDeserialize(ctx, in)
		response, ok := out.RawResponse.(*smithyhttp.Response)
		if err != nil || !ok || response.StatusCode >= 300 {
			return out, metadata, err
		}
		var answer bytes.Buffer
		answer.Grow(int(max(0, response.ContentLength)) + bytes.MinRead)
		if _, err := answer.ReadFrom(response.Body); err != nil {
			response.Body.Close() // the answer already has an error
			return out, metadata, fmt.Errorf("read answer: %w", err)
		}
		var rest string
		items, rest = itemjson.Cut(answer.String())
		response.Body = struct {
			io.Reader
			io.Closer
		}{strings.NewReader(rest), response.Body}
		return out, metadata, nil
	})
	put := middleware.DeserializeMiddlewareFunc("PutItems", func(
		ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler,
	) (middleware.DeserializeOutput, middleware.Metadata, error) {
		out, metadata, err := next.HandleDeserialize(ctx, in)
		if items == nil {
			return out, metadata, err
		}
		switch result := out.Result.(type) {
		case *dynamodb.QueryOutput:
			result.Items = items
		case *dynamodb.BatchGetItemOutput:
			for table := range result.Responses { // there is only one: every read asks one table
				result.Responses[table] = items
			}
		}
		return out, metadata, err
	})
	// Deserialize steps run from the outside in and see the response on the way back. So "take", which comes after the
	// SDK's step in the list, sees the response first.
	if err := stack.Deserialize.Insert(take, sdk, middleware.After); err != nil {
		return err
	}
	return stack.Deserialize.Insert(put, sdk, middleware.Before)
}
