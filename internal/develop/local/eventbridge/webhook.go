package eventbridge

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/samtemplate"
)

const (
	// maxPosts is how many requests to webhooks run at the same time. Further events wait: a webhook that hangs must
	// not take all of the machine's connections.
	maxPosts = 16
	// maxRetries is how often a failed request is repeated, if the rule does not say less. With its pauses that is half
	// a minute: enough to start a webhook again. EventBridge takes a day.
	maxRetries = 5
	// retryWait is the pause before the second attempt; before each further one it is twice as long.
	retryWait = time.Second
	// timeout limits a request, as EventBridge does.
	// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html
	timeout = 5 * time.Second
	// closeWait is how long Close waits for requests that are due.
	closeWait = 3 * time.Second
)

// posts is the state of all requests to webhooks.
type posts struct {
	slots   chan struct{}   // holds an element for each request that runs
	pending sync.WaitGroup  // events that are being posted
	closing context.Context // ends when no event may wait for another attempt
	close   func()
	running context.Context // ends when no request may run
	cut     func()
}

// newClient calls webhooks. It follows no redirect, because the secret would go to another host.
func newClient(n httpserver.Network) *http.Client {
	return &http.Client{
		Transport:     httpserver.Transport(n),
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// post posts an event to a webhook without waiting for it. An event that does not arrive goes to the dead-letter queue
// of its rule, and to the log.
func (b *Bus) post(w samtemplate.Webhook, e Event, payload []byte) {
	b.posts.pending.Go(func() {
		retries := min(w.Retries, maxRetries)
		for attempt := 0; ; attempt++ {
			answer, status := b.attempt(w, payload)
			b.config.Posted(e, answer)
			switch {
			case status/100 == 2:
				return
			case isTemporary(status) && attempt < retries && pause(b.posts.closing, retryWait<<attempt):
				continue
			}
			b.deadLetter(w, e, payload, answer, attempt)
			return
		}
	})
}

// attempt posts an event once, with the headers that EventBridge sends, when one of the slots is free. It returns what
// to show as the answer, and its status, which is 0 if there was none.
func (b *Bus) attempt(w samtemplate.Webhook, payload []byte) (answer string, status int) {
	select {
	case b.posts.slots <- struct{}{}:
		defer func() { <-b.posts.slots }()
	case <-b.posts.running.Done():
		return "the stack has ended", 0
	}
	request, err := http.NewRequestWithContext(b.posts.running, w.Method, w.URL, bytes.NewReader(payload))
	if err != nil {
		return err.Error(), 0
	}
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	request.Header.Set("User-Agent", "Amazon/EventBridge/ApiDestinations")
	request.Header.Set("Range", "bytes=0-1048575")
	request.Header.Set(w.Header, w.Secret)
	response, err := b.client.Do(request)
	if err != nil {
		return err.Error(), 0
	}
	response.Body.Close()
	return response.Status, response.StatusCode
}

// isTemporary reports whether EventBridge tries again after a status. No answer is 0.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html#eb-api-destination-error-codes
func isTemporary(status int) bool {
	return status == 0 || status == http.StatusConflict || status == http.StatusTooManyRequests || status >= 500
}

// deadLetter gives up on an event: it sends it to the dead-letter queue of its webhook, if that has one. The attributes
// are those of EventBridge.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
func (b *Bus) deadLetter(w samtemplate.Webhook, e Event, payload []byte, why string, retries int) {
	if w.DeadLetterQueue != "" {
		b.config.DeadLetter(w.DeadLetterQueue, string(payload), map[string]string{
			"RULE_ARN":       w.RuleARN,
			"TARGET_ARN":     w.ARN,
			"ERROR_MESSAGE":  why,
			"RETRY_ATTEMPTS": strconv.Itoa(retries),
		})
	}
	b.config.Log.Error("dead letter", "webhook", w.URL, "event_id", e.ID, "error", why)
}

// pause waits, and returns false if the context ends first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// Close gives the requests that are due three seconds. What waits for another attempt is lost at once. No event may be
// put on the bus after that.
func (b *Bus) Close() {
	b.posts.close()
	defer time.AfterFunc(closeWait, b.posts.cut).Stop()
	b.posts.pending.Wait()
	b.posts.cut()
	b.client.CloseIdleConnections()
}

// Settle waits until each event that was put on the bus has arrived at its webhooks, or is lost.
func (b *Bus) Settle() { b.posts.pending.Wait() }
