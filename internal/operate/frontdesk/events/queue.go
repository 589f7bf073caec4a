package events

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"frontdesk/internal/operate/frontdesk/target"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// Queue is a stack's queue LostEvents: it holds the events that did not reach their target. It is a standard queue,
// which may deliver a message more than once and in any order.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/standard-queues.html
type Queue struct {
	sqs *sqs.Client
	url string
}

// FindQueue finds the queue LostEvents of a stack. Found is false if the stack has no mail log, and so no events. A
// command that takes events from a queue wants the stack to be named: with a default, it might be another stack's
// queue.
func FindQueue(ctx context.Context, stack *target.Target) (q Queue, found bool, err error) {
	if err := stack.CheckNamed(); err != nil {
		return q, false, err
	}
	return find(ctx, stack)
}

func find(ctx context.Context, stack *target.Target) (q Queue, found bool, err error) {
	cfg, err := stack.Config(ctx)
	if err != nil {
		return q, false, err
	}
	queues, err := stack.Resources(ctx, "AWS::SQS::Queue")
	if err != nil {
		return q, false, err
	}
	q = Queue{sqs.NewFromConfig(cfg), queues["LostEvents"]}
	return q, q.url != "", nil
}

const (
	batchSize = 10   // messages at a time, the most of SQS
	hidden    = 3600 // seconds for which a message is nobody else's: 240 calls of the function, each until its timeout
	wait      = 1    // seconds; SQS asks all of its servers only where it may wait
)

// patience is how long a call of SQS may still take after the command was interrupted. A message that was received is
// hidden from everybody for an hour, so the command gives it back before it ends.
const patience = 30 * time.Second

// Waiting returns about how many messages a stack's queue has. Found is false if the stack has no queue.
func Waiting(ctx context.Context, stack *target.Target) (n int, found bool, err error) {
	q, found, err := find(ctx, stack)
	if err != nil || !found {
		return 0, false, err
	}
	visible, inFlight, err := q.count(ctx)
	return visible + inFlight, true, err
}

// count returns about how many messages anybody could receive, and how many others have received, which the queue
// hides. Call it before [Queue.forEach], whose own messages would count as well. SQS calls the numbers approximate:
// they lag behind by a minute or so.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html
func (q Queue) count(ctx context.Context) (visible, inFlight int, err error) {
	const (
		waiting  = types.QueueAttributeNameApproximateNumberOfMessages
		received = types.QueueAttributeNameApproximateNumberOfMessagesNotVisible
	)
	out, err := q.sqs.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: &q.url, AttributeNames: []types.QueueAttributeName{waiting, received},
	})
	if err != nil {
		return 0, 0, target.ExplainAt("look at the queue LostEvents", err)
	}
	visible, wrongVisible := strconv.Atoi(out.Attributes[string(waiting)])
	inFlight, wrongInFlight := strconv.Atoi(out.Attributes[string(received)])
	if err := errors.Join(wrongVisible, wrongInFlight); err != nil {
		return 0, 0, fmt.Errorf("look at the queue LostEvents: %w", err)
	}
	return visible, inFlight, nil
}

// forEach receives messages until there are none, and visits each message once. visit gets it as it was received last,
// and returns whether it has deleted it. At the end, or when the context ends, each gives back all others, so they
// can be received again at once.
//
// A message that stays held is received again after an hour, in a run that takes so long, and is not visited again.
// The loop ends at the first answer without messages.
func (q Queue) forEach(ctx context.Context, visit func(types.Message) (gone bool)) (err error) {
	visited := map[string]bool{}       // by the messages' ids
	held := map[string]types.Message{} // likewise, as last received: only the last receipt of a message is good
	defer func() { err = errors.Join(err, q.release(ctx, held)) }()
	for ctx.Err() == nil {
		messages, err := q.receive(ctx)
		if err != nil || len(messages) == 0 {
			return err
		}
		for _, m := range messages {
			id := aws.ToString(m.MessageId)
			held[id] = m
			if visited[id] || ctx.Err() != nil {
				continue
			}
			visited[id] = true
			if visit(m) {
				delete(held, id)
			}
		}
	}
	return context.Cause(ctx)
}

// receive finishes its call even if the context ends meanwhile: SQS may have hidden messages for it already, and
// only an answer tells which ones to give back. It waits a second for messages, because only then does SQS ask all
// of its servers.
func (q Queue) receive(ctx context.Context) ([]types.Message, error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer stop()
	out, err := q.sqs.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl:              &q.url,
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

// delete takes a message from the queue. SQS goes by the receipt, so the message has to be as it was received last.
func (q Queue) delete(ctx context.Context, m types.Message) error {
	_, err := q.sqs.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &q.url, ReceiptHandle: m.ReceiptHandle})
	return err
}

// release lets others receive messages at once, even after the context has ended. Otherwise they could do so after an
// hour. An error for one batch does not keep it from the others.
func (q Queue) release(ctx context.Context, messages map[string]types.Message) (err error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer stop()
	entries := []types.ChangeMessageVisibilityBatchRequestEntry{}
	for id, m := range messages {
		entries = append(entries, types.ChangeMessageVisibilityBatchRequestEntry{
			Id: aws.String(id), ReceiptHandle: m.ReceiptHandle, VisibilityTimeout: 0,
		})
	}
	for batch := range slices.Chunk(entries, batchSize) {
		out, failed := q.sqs.ChangeMessageVisibilityBatch(ctx, &sqs.ChangeMessageVisibilityBatchInput{
			QueueUrl: &q.url, Entries: batch,
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

// TakeIf passes each event of the queue to look, and deletes those for which look returns true. An event that could not
// be deleted counts as not taken; the error comes after all others were looked at.
func (q Queue) TakeIf(ctx context.Context, look func(event string) (take bool)) error {
	var failed error
	err := q.forEach(ctx, func(m types.Message) (gone bool) {
		if !look(aws.ToString(m.Body)) {
			return false
		}
		if err := q.delete(ctx, m); err != nil {
			failed = target.ExplainAt("take from the queue LostEvents", err)
			return false
		}
		return true
	})
	return errors.Join(err, failed)
}
