// Command function is a Lambda function that does what the path parameter {do} says. It is every function of this
// package's tests. Without {do} it echoes its event.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

func main() {
	if os.Getenv("INIT") == "hang" {
		time.Sleep(time.Hour)
	}
	if os.Getenv("INIT") == "exit" {
		os.Exit(7)
	}
	lambda.Start(handler{})
}

// handler returns bytes, which need not be JSON.
type handler struct{}

func (handler) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var event events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(payload, &event); err != nil {
		return nil, err
	}
	if strings.Contains(string(payload), `"source":"aws.ses"`) {
		return nil, record(payload)
	}
	n, _ := strconv.Atoi(event.QueryStringParameters["n"])
	switch event.PathParameters["do"] {
	case "", "echo": // answers with the event
		return answer(string(payload))
	case "return": // returns the body as the function's result
		return []byte(event.Body), nil
	case "size": // the size of the event
		return answer(fmt.Sprint(len(payload)))
	case "pid":
		return answer(fmt.Sprint(os.Getpid()))
	case "environment":
		return answer(strings.Join(os.Environ(), "\n"))
	case "context": // what the Runtime API's headers say
		lc, _ := lambdacontext.FromContext(ctx)
		deadline, _ := ctx.Deadline()
		return answer(fmt.Sprintf("%s %s %d %s",
			lc.AwsRequestID, lc.InvokedFunctionArn, deadline.UnixMilli(), os.Getenv("_X_AMZN_TRACE_ID")))
	case "fetch": // calls ?url, then answers with its process id
		response, err := http.Get(event.QueryStringParameters["url"])
		if err != nil {
			return nil, err
		}
		response.Body.Close()
		return answer(fmt.Sprint(os.Getpid()))
	case "call": // calls DynamoDB: the operation ?operation with the body
		return call(event.QueryStringParameters["operation"], event.Body)
	case "send": // sends the body as a message to ?to, ?cc and ?bcc with the tag do=?do; for events with ?set=events
		for range n - 1 { // ?n times
			if _, err := send(event.QueryStringParameters, event.Body); err != nil {
				return nil, err
			}
		}
		sent, err := send(event.QueryStringParameters, event.Body)
		if said := event.QueryStringParameters["answer"]; said != "" {
			return answer(said)
		}
		return sent, err
	case "hang":
		time.Sleep(time.Hour)
	case "hang-with-child": // sends the child's process id to ?url
		child := exec.Command("/bin/sleep", "3600")
		if err := child.Start(); err != nil {
			return nil, err
		}
		http.Get(event.QueryStringParameters["url"] + fmt.Sprint(child.Process.Pid))
		child.Wait()
	case "crash":
		os.Exit(3)
	case "panic":
		panic("on purpose")
	case "error":
		return nil, errors.New("on purpose")
	case "die-idle":
		time.AfterFunc(time.Second, func() { os.Exit(4) }) // by then it is idle, even on a busy machine
		return answer("")
	case "big": // a body of ?n bytes
		return answer(strings.Repeat("x", n))
	case "log": // writes ?n lines to each of stdout and stderr
		for i := range n {
			fmt.Fprintf(os.Stdout, "out %s %d %s\n", event.Body, i, strings.Repeat("o", 100))
			fmt.Fprintf(os.Stderr, "err %s %d %s\n", event.Body, i, strings.Repeat("e", 100))
		}
		return answer("")
	case "say": // logs the body, as a plain line and as a structured one
		fmt.Println(event.Body)
		slog.New(slog.NewJSONHandler(os.Stderr, nil)).Info(event.Body, "request_id", event.RequestContext.RequestID)
		return answer("")
	case "half-line":
		io.WriteString(os.Stdout, "half a line")
		os.Exit(0)
	}
	return nil, fmt.Errorf("do what? %s", event.PathParameters["do"])
}

// call calls DynamoDB, and returns its answer.
func call(operation, body string) ([]byte, error) {
	header := http.Header{
		"X-Amz-Target": {"DynamoDB_20120810." + operation},
		"Content-Type": {"application/x-amz-json-1.0"},
	}
	return request("/", header, []byte(body))
}

// send calls SES, and returns its answer.
func send(query map[string]string, message string) ([]byte, error) {
	set := ""
	if query["set"] == "events" {
		set = os.Getenv("MAIL_EVENTS")
	}
	body, err := json.Marshal(map[string]any{
		"FromEmailAddress": "desk@example.com",
		"Destination": map[string]any{
			"ToAddresses": list(query["to"]), "CcAddresses": list(query["cc"]), "BccAddresses": list(query["bcc"]),
		},
		"Content":              map[string]any{"Raw": map[string]any{"Data": []byte(message)}},
		"ConfigurationSetName": set,
		"EmailTags":            []map[string]string{{"Name": "do", "Value": query["do"]}},
	})
	if err != nil {
		return nil, err
	}
	return request("/v2/email/outbound-emails", http.Header{"Content-Type": {"application/json"}}, body)
}

func list(addresses string) []string {
	return strings.FieldsFunc(addresses, func(r rune) bool { return r == ',' })
}

// record logs the type of a mail's event, and does what the mail's tag says.
func record(payload []byte) error {
	var event struct {
		Detail struct {
			EventType string
			Mail      struct{ Tags map[string][]string }
		}
	}
	if err := json.Unmarshal(payload, &event); err != nil {
		return err
	}
	fmt.Println("recorded", event.Detail.EventType)
	switch event.Detail.Mail.Tags["do"][0] {
	case "crash":
		os.Exit(3)
	case "error":
		return errors.New("on purpose")
	}
	return nil
}

// request calls a service as an SDK would. The signature is not a real one.
func request(path string, header http.Header, body []byte) ([]byte, error) {
	request, err := http.NewRequest(http.MethodPost, os.Getenv("AWS_ENDPOINT_URL")+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = header
	request.Header.Set("X-Amz-Date", time.Now().UTC().Format("20060102T150405Z"))
	request.Header.Set("X-Amz-Security-Token", os.Getenv("AWS_SESSION_TOKEN"))
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+os.Getenv("AWS_ACCESS_KEY_ID")+
		"/20250101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature="+strings.Repeat("0", 64))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	return json.Marshal(events.APIGatewayV2HTTPResponse{StatusCode: response.StatusCode, Body: string(text)})
}

func answer(body string) ([]byte, error) {
	return json.Marshal(events.APIGatewayV2HTTPResponse{StatusCode: http.StatusOK, Body: body})
}
