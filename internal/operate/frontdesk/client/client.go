// Package client has the commands that call a running stack as its callers and its browser do. They send mails, show
// what became of them, follow the log, and say where everything is.
//
// They need the address of the API and a mail key, and no AWS credentials. With --stack they ask CloudFormation for
// the address, which does need them.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Commands are the commands of a caller. All but logs also work on a deployed stack.
type Commands struct {
	Status statusCommand `cmd:"" help:"Show the stack: its addresses, whether they answer, and how much it holds." example:"frontdesk --local status\nfrontdesk --stack frontdesk status"`
	Open   openCommand   `cmd:"" help:"Open the console or the API's docs in a browser." example:"frontdesk --local open docs"`
	Logs   logsCommand   `cmd:"" help:"Show the last requests to the local stack with their log lines." example:"frontdesk --local logs --follow\nfrontdesk --local --json logs --last 1"`
	Mail   mailGroup     `cmd:"" help:"Send mails, and see what became of them." example:"frontdesk --local mail list"`
}

// patience is how long a command waits for an answer. API Gateway gives one within 30 seconds. So whatever the API
// says about a slow request still arrives.
const patience = 35 * time.Second

// answer is an answer of the API or of the console. A redirect has been followed already.
type answer struct {
	status int
	body   []byte
}

// call sends a request by a client. A missing answer is an error that names the address. Any status is an answer, and
// no error.
func call(
	ctx context.Context, by *http.Client, method, address string, header http.Header, body []byte,
) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if header != nil {
		request.Header = header
	}
	response, err := by.Do(request)
	if err != nil {
		return answer{}, unanswered(request.URL, err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, unanswered(request.URL, err)
	}
	return answer{response.StatusCode, read}, nil
}

// unanswered returns the error that nothing answers, with its cause. It tells a stack on this machine, which may
// simply not run, from one on AWS.
func unanswered(at *url.URL, err error) error {
	cause := err
	if e, ok := errors.AsType[*url.Error](err); ok {
		cause = e.Err // without the whole URL, which the message names already
	}
	if at.Scheme == "http" { // on AWS it would be https
		return fmt.Errorf("API at %s://%s: nothing answers; is make run up? (%w)", at.Scheme, at.Host, cause)
	}
	return fmt.Errorf("API at %s://%s: nothing answers (%w)", at.Scheme, at.Host, cause)
}

// refusal returns the error of an answer that reports no success. It has the answer's message, request id and code.
// POST /sender.php has the message in error, and the other endpoints in message. An answer of API Gateway itself has
// neither code nor request id; then the status stands in their place.
func (a answer) refusal() error {
	var refused struct {
		Error, Message, Code string
		RequestID            string `json:"request_id"`
	}
	json.Unmarshal(a.body, &refused) // without JSON, the status decides
	reason := cmp.Or(refused.Error, refused.Message, http.StatusText(a.status))
	if refused.RequestID != "" {
		reason += ", request " + refused.RequestID
	}
	return refusal{a.status, fmt.Sprintf("%s (%s)", reason, cmp.Or(refused.Code, fmt.Sprint(a.status)))}
}

// refusal is an answer that is not the one that was asked for.
type refusal struct {
	status int
	text   string
}

func (r refusal) Error() string { return r.text }

// get reads the JSON at an address. Any status but 200 is a refusal.
func get(ctx context.Context, by *http.Client, address string, header http.Header, into any) error {
	a, err := call(ctx, by, http.MethodGet, address, header, nil)
	switch {
	case err != nil:
		return err
	case a.status != http.StatusOK:
		return a.refusal()
	}
	if err := json.Unmarshal(a.body, into); err != nil {
		return fmt.Errorf("%s: the answer is not what it should be: %w", address, err)
	}
	return nil
}
