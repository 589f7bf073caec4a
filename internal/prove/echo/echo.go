// Package echo is what a function of internal/develop/local/testdata/stack.yaml does: the path parameter {do} says it.
// Without {do}, it echoes its event.
package echo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/base/execution"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
)

// Open is the program of the function. With INIT in its environment, it does not start.
func Open(e execution.Environment) (lambda.Handler, error) {
	if e.Getenv("INIT") != "" {
		return nil, errors.New("on purpose")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if e.Dial != nil {
		transport.DialContext = e.Dial
	}
	return handler{e, &http.Client{Transport: transport}}, nil
}

// handler returns bytes, which need not be JSON.
type handler struct {
	execution.Environment
	client *http.Client
}

func (h handler) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var event events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(payload, &event); err != nil {
		return nil, err
	}
	if strings.Contains(string(payload), `"source":"aws.ses"`) {
		return nil, h.record(payload)
	}
	n, _ := strconv.Atoi(event.QueryStringParameters["n"])
	switch event.PathParameters["do"] {
	case "", "echo": // answers with the event
		return Answer(string(payload))
	case "return": // returns the body as the function's result
		return []byte(event.Body), nil
	case "size": // the size of the event
		return Answer(fmt.Sprint(len(payload)))
	case "fetch": // calls ?url
		response, err := h.client.Get(event.QueryStringParameters["url"])
		if err != nil {
			return nil, err
		}
		response.Body.Close()
		return Answer("fetched")
	case "call": // calls DynamoDB: the operation ?operation with the body
		return h.call(event.QueryStringParameters["operation"], event.Body)
	case "send": // sends the body as a message to ?to, ?cc and ?bcc with the tag do=?do; for events with ?set=events
		for range n - 1 { // ?n times
			if _, err := h.send(event.QueryStringParameters, event.Body); err != nil {
				return nil, err
			}
		}
		sent, err := h.send(event.QueryStringParameters, event.Body)
		if said := event.QueryStringParameters["answer"]; said != "" {
			return Answer(said)
		}
		return sent, err
	case "hang": // as long as it may
		<-ctx.Done()
		return nil, ctx.Err()
	case "panic":
		panic("on purpose")
	case "error":
		return nil, errors.New("on purpose")
	case "big": // a body of ?n bytes
		return Answer(strings.Repeat("x", n))
	case "say": // logs the body, as a plain line and as a structured one
		fmt.Fprintln(h.Log, event.Body)
		slog.New(slog.NewJSONHandler(h.Log, nil)).Info(event.Body, "request_id", event.RequestContext.RequestID)
		return Answer("")
	}
	return nil, fmt.Errorf("do what? %s", event.PathParameters["do"])
}

// call calls DynamoDB, and returns its answer.
func (h handler) call(operation, body string) ([]byte, error) {
	header := http.Header{
		"X-Amz-Target": {"DynamoDB_20120810." + operation},
		"Content-Type": {"application/x-amz-json-1.0"},
	}
	return h.request("/", header, []byte(body))
}

// send calls SES, and returns its answer.
func (h handler) send(query map[string]string, message string) ([]byte, error) {
	set := ""
	if query["set"] == "events" {
		set = h.Getenv("MAIL_EVENTS")
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
	return h.request("/v2/email/outbound-emails", http.Header{"Content-Type": {"application/json"}}, body)
}

func list(addresses string) []string {
	return strings.FieldsFunc(addresses, func(r rune) bool { return r == ',' })
}

// record logs the type of a mail's event, and does what the mail's tag says.
func (h handler) record(payload []byte) error {
	var event struct {
		Detail struct {
			EventType string
			Mail      struct{ Tags map[string][]string }
		}
	}
	if err := json.Unmarshal(payload, &event); err != nil {
		return err
	}
	fmt.Fprintln(h.Log, "recorded", event.Detail.EventType)
	switch event.Detail.Mail.Tags["do"][0] {
	case "panic":
		panic("on purpose")
	case "error":
		return errors.New("on purpose")
	}
	return nil
}

// request calls a service as an SDK would. The signature is not a real one.
func (h handler) request(path string, header http.Header, body []byte) ([]byte, error) {
	request, err := http.NewRequest(http.MethodPost, h.Getenv("AWS_ENDPOINT_URL")+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = header
	request.Header.Set("X-Amz-Date", time.Now().UTC().Format("20060102T150405Z"))
	request.Header.Set("X-Amz-Security-Token", h.Getenv("AWS_SESSION_TOKEN"))
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+h.Getenv("AWS_ACCESS_KEY_ID")+
		"/20250101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature="+strings.Repeat("0", 64))
	response, err := h.client.Do(request)
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

// Answer is the result of a function that answers with a text.
func Answer(body string) ([]byte, error) {
	return json.Marshal(events.APIGatewayV2HTTPResponse{StatusCode: http.StatusOK, Body: body})
}
