package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"frontdesk/internal/cmd/frontdesk/target"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// redrive hands on the events of a queue. Each goes to the target that it did not reach, and to no other one, and is
// taken from the queue when it is there. An event that gets there twice does no harm: the mail log has what happened
// once, and its id tells the webhook.
type redrive struct {
	sqs      *sqs.Client
	queue    string // its URL
	lambda   *lambda.Client
	function string // record-mail-event, which keeps the mail log
	webhook  webhook
}

const (
	batchSize = 10  // messages at a time, the most of SQS
	hidden    = 300 // seconds for which a message is nobody else's: ten calls of a function take 150 at most
	wait      = 1   // seconds; SQS asks all of its servers only where it may wait
)

// The targets of the stack's rules.
const (
	mailLog   = "mail log"
	toWebhook = "webhook"
)

// run receives messages until there are none that it has not tried. What it leaves can be received again at once.
func (r redrive) run(ctx context.Context) (d done, err error) {
	d.Left = []left{}
	tried := map[string]bool{} // by the messages' ids
	var kept []types.Message
	defer func() { err = errors.Join(err, r.release(ctx, kept)) }()
	for {
		batch, err := r.sqs.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
			QueueUrl:              &r.queue,
			MaxNumberOfMessages:   batchSize,
			VisibilityTimeout:     hidden,
			WaitTimeSeconds:       wait,
			MessageAttributeNames: []string{"All"},
		})
		if err != nil {
			return d, target.ExplainAt("receive from the queue LostEvents", err)
		}
		fresh := false
		for _, m := range batch.Messages {
			id := aws.ToString(m.MessageId)
			if tried[id] {
				continue
			}
			tried[id], fresh = true, true
			to := targetOf(m)
			if err := r.handOn(ctx, m, to); err != nil {
				kept = append(kept, m)
				d.Left = append(d.Left, left{eventID(m), to, err.Error()})
				continue
			}
			if to == toWebhook {
				d.Posted++
			} else {
				d.Recorded++
			}
		}
		if !fresh {
			return d, nil
		}
	}
}

// targetOf is whom an event was lost to. EventBridge names its target; what has none comes from Lambda, and was lost to
// the function.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
func targetOf(m types.Message) string {
	if strings.Contains(aws.ToString(m.MessageAttributes["TARGET_ARN"].StringValue), ":api-destination/") {
		return toWebhook
	}
	return mailLog
}

// eventID is the id of an event, or that of its message where it has none.
func eventID(m types.Message) string {
	var event struct{ ID string }
	if err := json.Unmarshal([]byte(aws.ToString(m.Body)), &event); err != nil || event.ID == "" {
		return aws.ToString(m.MessageId)
	}
	return event.ID
}

// handOn hands an event to its target, and takes it from the queue then.
func (r redrive) handOn(ctx context.Context, m types.Message, to string) (err error) {
	event := []byte(aws.ToString(m.Body))
	if to == toWebhook {
		err = r.webhook.post(ctx, event)
	} else {
		err = r.record(ctx, event)
	}
	if err != nil {
		return err
	}
	_, err = r.sqs.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &r.queue, ReceiptHandle: m.ReceiptHandle})
	if err != nil {
		return target.ExplainAt("it was handed on, but is still in the queue", err)
	}
	return nil
}

// record has the function record an event, and waits for it.
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

// release lets others receive messages at once. Without it they would in five minutes.
func (r redrive) release(ctx context.Context, messages []types.Message) error {
	for _, m := range messages {
		_, err := r.sqs.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
			QueueUrl: &r.queue, ReceiptHandle: m.ReceiptHandle, VisibilityTimeout: 0,
		})
		if err != nil {
			return target.ExplainAt("give back to the queue LostEvents", err)
		}
	}
	return nil
}
