package events

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"frontdesk/internal/operate/frontdesk/target"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// redrive hands on the events of a queue. Each goes to the one target that it did not reach, and leaves the queue
// when it is there. An event that arrives twice does no harm: the mail log records it once, and the webhook knows it
// by its id.
type redrive struct {
	queue    Queue
	lambda   *lambda.Client
	function string // record-mail-event, which keeps the mail log
	webhook  webhook
}

// The targets of the stack's rules.
const (
	mailLog   = "mail log"
	toWebhook = "webhook"
)

// run tries each message once. It asks how many messages are in flight before it receives any, because its own would
// count from then on. Each message is handed on before the next is looked at, so an interruption leaves at most one
// whose fate is unknown: that one is handed on again.
func (r redrive) run(ctx context.Context) (d done, err error) {
	d.Left = []unhandled{}
	_, d.InFlight, err = r.queue.count(ctx)
	if err != nil {
		return d, err
	}
	err = r.queue.forEach(ctx, func(m types.Message) (gone bool) {
		to := targetOf(m)
		if err := r.deliver(ctx, m, to); err != nil {
			d.Left = append(d.Left, unhandled{eventID(m), to, err.Error()})
			return false
		}
		if to == toWebhook {
			d.Posted++
		} else {
			d.Recorded++
		}
		return true
	})
	return d, err
}

// targetOf returns the target that an event did not reach. EventBridge names it in an attribute of the message. A
// message without this attribute comes from Lambda, so the function of the mail log failed.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
func targetOf(m types.Message) string {
	if strings.Contains(aws.ToString(m.MessageAttributes["TARGET_ARN"].StringValue), ":api-destination/") {
		return toWebhook
	}
	return mailLog
}

// eventID returns the id of an event, or that of its message if it has none. EventBridge gives each event an id, so
// only a message that is no event has none.
func eventID(m types.Message) string {
	var event struct{ ID string }
	if err := json.Unmarshal([]byte(aws.ToString(m.Body)), &event); err != nil || event.ID == "" {
		return aws.ToString(m.MessageId)
	}
	return event.ID
}

// deliver hands an event to its target, and then deletes it from the queue. In this order an interruption between the
// two repeats an event, and never loses one.
func (r redrive) deliver(ctx context.Context, m types.Message, to string) (err error) {
	event := []byte(aws.ToString(m.Body))
	if to == toWebhook {
		err = r.webhook.post(ctx, event)
	} else {
		err = r.record(ctx, event)
	}
	if err != nil {
		return err
	}
	if err := r.queue.delete(ctx, m); err != nil {
		return target.ExplainAt("it was handed on, but is still in the queue", err)
	}
	return nil
}

// record has the function record an event, and waits for it. The call is synchronous, so it knows whether the
// function failed. An asynchronous one would put the event back into this queue after its retries.
func (r redrive) record(ctx context.Context, event []byte) error {
	out, err := r.lambda.Invoke(ctx, &lambda.InvokeInput{FunctionName: &r.function, Payload: event})
	if err != nil {
		return target.ExplainAt("invoke "+r.function, err)
	}
	if out.FunctionError == nil {
		return nil
	}
	var failed struct{ ErrorMessage string }
	if err := json.Unmarshal(out.Payload, &failed); err != nil || failed.ErrorMessage == "" {
		return fmt.Errorf("%s failed: %s", r.function, *out.FunctionError)
	}
	return fmt.Errorf("%s failed: %s", r.function, failed.ErrorMessage)
}
