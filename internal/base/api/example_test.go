package api_test

import (
	"context"
	"encoding/json"
	"fmt"

	"frontdesk/internal/base/api"

	"github.com/aws/aws-lambda-go/events"
)

// A handler decodes the object in the request's body and answers. It returns errors; the Function turns them
// into answers.
func ExampleFunction() {
	greet := api.Function{
		Handle: func(_ context.Context, r *api.Request) (api.Response, error) {
			body, err := r.Bytes()
			if err != nil {
				return api.Response{}, err
			}
			o, err := r.ParseObject(body)
			if err != nil {
				return api.Response{}, err
			}
			name := o.String("name")
			if err := o.Err(); err != nil {
				return api.Response{}, err
			}
			var faults api.Faults
			if name == "" {
				faults.Add("name", "Name can't be blank")
			}
			return api.Response{Body: map[string]string{"greeting": "Hello, " + name}}, faults.Err()
		},
	}
	for _, body := range []string{`{"name":"Ada"}`, `{"name":7}`, `{}`} {
		event, _ := json.Marshal(events.APIGatewayV2HTTPRequest{
			Version: "2.0", RouteKey: "POST /greetings", Body: body,
		})
		out, err := greet.Invoke(context.Background(), event) // as Lambda does, see Main
		if err != nil {
			fmt.Println(err)
		}
		var answer events.APIGatewayV2HTTPResponse
		_ = json.Unmarshal(out, &answer)
		fmt.Print(answer.StatusCode, " ", answer.Body)
	}
	// Output:
	// 200 {"greeting":"Hello, Ada"}
	// 400 {"message":"name must be a string","code":"malformed"}
	// 422 {"message":"Name can't be blank","code":"invalid","attributes":["name"]}
}
