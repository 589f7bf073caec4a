package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// webhook is the receiver of a stack that wants the events, too.
type webhook struct {
	client *http.Client
	url    string // "" for none
	secret string // for a header of each request
}

// timeout limits one request, as EventBridge does for an API destination. A receiver that needs longer has failed for
// EventBridge, and so it has here.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html
const timeout = 5 * time.Second

// post posts an event as EventBridge does: with the secret, and without following a redirect. Any answer of 2xx is a
// success. The body is the event as EventBridge would send it. The error never has the secret.
func (w webhook) post(ctx context.Context, event []byte) error {
	switch {
	case w.url == "":
		return errors.New("the stack has no EventWebhookUrl")
	case w.secret == "":
		return errors.New("its secret is needed: give --webhook-secret-file")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(event))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	request.Header.Set("X-Webhook-Secret", w.secret)
	client := http.Client{
		Transport:     w.client.Transport,
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s answers %s", w.url, response.Status)
	}
	return nil
}
