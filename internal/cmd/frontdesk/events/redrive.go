package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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
	batchSize = 10   // messages at a time, the most of SQS
	hidden    = 3600 // seconds for which a message is nobody else's: 240 calls of the function, each until its timeout
	wait      = 1    // seconds; SQS asks all of its servers only where it may wait
)

// patience is for how long a call of SQS that has to be done goes on once the command is interrupted.
const patience = 30 * time.Second

// The targets of the stack's rules.
const (
	mailLog   = "mail log"
	toWebhook = "webhook"
)

// run receives messages until there are none, and tries each once. What it leaves can be received again at once, also
// where the context ends before.
func (r redrive) run(ctx context.Context) (d done, err error) {
	d.Left = []left{}
	d.InFlight, err = r.inFlight(ctx)
	if err != nil {
		return d, err
	}
	tried := map[string]bool{}         // by the messages' ids
	held := map[string]types.Message{} // likewise, as last received: only the last receipt of a message is good
	defer func() { err = errors.Join(err, r.release(ctx, held)) }()
	for ctx.Err() == nil {
		messages, err := r.receive(ctx)
		if err != nil || len(messages) == 0 {
			return d, err
		}
		for _, m := range messages {
			id := aws.ToString(m.MessageId)
			held[id] = m
			if tried[id] || ctx.Err() != nil {
				continue
			}
			tried[id] = true
			to := targetOf(m)
			if err := r.handOn(ctx, m, to); err != nil {
				d.Left = append(d.Left, left{eventID(m), to, err.Error()})
				continue
			}
			delete(held, id)
			if to == toWebhook {
				d.Posted++
			} else {
				d.Recorded++
			}
		}
	}
	return d, context.Cause(ctx)
}

// inFlight is about how many messages others have received: the queue hides them. It is asked before any is
// received here.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html
func (r redrive) inFlight(ctx context.Context) (int, error) {
	const hidden = types.QueueAttributeNameApproximateNumberOfMessagesNotVisible
	out, err := r.sqs.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: &r.queue, AttributeNames: []types.QueueAttributeName{hidden},
	})
	if err != nil {
		return 0, target.ExplainAt("look at the queue LostEvents", err)
	}
	n, err := strconv.Atoi(out.Attributes[string(hidden)])
	if err != nil {
		return 0, fmt.Errorf("look at the queue LostEvents: %w", err)
	}
	return n, nil
}

// receive ends its call also where the context ends: SQS may have hidden messages for it, which are to be given back.
func (r redrive) receive(ctx context.Context) ([]types.Message, error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer stop()
	out, err := r.sqs.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl:              &r.queue,
		MaxNumberOfMessages:   batchSize,
		VisibilityTimeout:     hidden,
		WaitTimeSeconds:       wait,
		MessageAttributeNames: []string{"All"},
	})
	if err != nil {
		return nil, target.ExplainAt("receive from the queue LostEvents", err)
	}
	return out.Messages, nil
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

// release lets others receive messages at once, also where the context has ended. Without it they would in an hour.
func (r redrive) release(ctx context.Context, messages map[string]types.Message) (err error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer stop()
	entries := []types.ChangeMessageVisibilityBatchRequestEntry{}
	for id, m := range messages {
		entries = append(entries, types.ChangeMessageVisibilityBatchRequestEntry{
			Id: aws.String(id), ReceiptHandle: m.ReceiptHandle, VisibilityTimeout: 0,
		})
	}
	for batch := range slices.Chunk(entries, batchSize) {
		out, failed := r.sqs.ChangeMessageVisibilityBatch(ctx, &sqs.ChangeMessageVisibilityBatchInput{
			QueueUrl: &r.queue, Entries: batch,
		})
		if failed != nil {
			err = errors.Join(err, target.ExplainAt("give back to the queue LostEvents", failed))
			continue
		}
		for _, f := range out.Failed {
			err = errors.Join(err, fmt.Errorf("give back to the queue LostEvents: message %s: %s: %s",
				aws.ToString(f.Id), aws.ToString(f.Code), aws.ToString(f.Message)))
		}
	}
	return err
}
