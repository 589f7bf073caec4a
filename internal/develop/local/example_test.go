package local_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/awsproxy"
)

// exampleOptions are the options for a stack of this package's testdata. The folder builds is filled by TestMain.
func exampleOptions() local.Options {
	return local.Options{
		Root:      "../../..",
		Template:  "testdata/stack.yaml",
		Builds:    builds,
		StackName: "example",
		DynamoDB:  os.Getenv("DYNAMODB_ENDPOINT"),
		Logs:      io.Discard,
	}
}

// A function sends a mail through SES, and the stack's outbox keeps it.
func ExampleStart() {
	stack, err := local.Start(context.Background(), exampleOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer stack.Close()

	message := strings.NewReader("Subject: Hello\r\n\r\nHello, Ada!\r\n")
	response, err := http.Post(stack.URL()+"/do/send?to=ada@example.org", "text/plain", message)
	if err != nil {
		fmt.Println(err)
		return
	}
	response.Body.Close()
	fmt.Println(response.Status)
	for _, mail := range stack.Outbox().Mails() {
		fmt.Println(mail.To, mail.Subject)
	}
	// Output:
	// 200 OK
	// [ada@example.org] Hello
}

// The AWS proxy throttles the first call of every request. It records the call, and to which request it belongs.
func ExampleStack_AWSProxy() {
	stack, err := local.Start(context.Background(), exampleOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer stack.Close()
	stack.AWSProxy().Inject(func(call awsproxy.Call) *awsproxy.Fault {
		if call.N == 1 {
			return awsproxy.Throttled
		}
		return nil
	})

	key := `{"TableName":"` + stack.Environ()["TABLE_NAME"] + `","Key":{"PK":{"S":"a"},"SK":{"S":"b"}}}`
	response, err := http.Post(stack.URL()+"/do/call?operation=GetItem", "text/plain", strings.NewReader(key))
	if err != nil {
		fmt.Println(err)
		return
	}
	response.Body.Close()
	fmt.Println(response.Status)
	for _, call := range stack.AWSProxy().Calls(response.Header.Get("apigw-requestid")) {
		fmt.Println(call.Function, call.Service, call.Action)
	}
	// Output:
	// 400 Bad Request
	// EchoFunction dynamodb GetItem
}
