// Package sqs stands in for SQS: the queues of a template, to which Lambda sends events that failed, and from which an
// operator's tool receives them. It differs from the service: it keeps messages in memory until they are deleted, gives
// each to one receiver at a time, and never waits for a message to arrive.
package sqs

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/develop/local/awsform"
)

// Queues are the queues of an account, by name. The zero Queues has none. Its methods are safe for concurrent use at
// any time.
type Queues struct {
	mu     sync.Mutex
	queues map[string][]*message // oldest message first
}

// message is a message in a queue.
type message struct {
	id, body   string
	attributes map[string]string
	receipt    string    // of the latest receiver
	hidden     time.Time // until then no one else receives it
}

// Create creates an empty queue.
func (q *Queues) Create(name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.queues == nil {
		q.queues = map[string][]*message{}
	}
	q.queues[name] = nil
}

// Send appends a message to a queue.
func (q *Queues) Send(queue, body string, attributes map[string]string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queues[queue] = append(q.queues[queue], &message{id: awsform.UUID(), body: body, attributes: attributes})
}

// Len returns how many messages a queue has, whether they are being received or not.
func (q *Queues) Len(queue string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.queues[queue])
}

// Show makes all messages of a queue visible again at once.
func (q *Queues) Show(queue string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, m := range q.queues[queue] {
		m.hidden = time.Time{}
	}
}

// input contains the parameters of all operations.
type input struct {
	QueueURL            string `json:"QueueUrl"`
	ReceiptHandle       string
	MaxNumberOfMessages int
	VisibilityTimeout   *int // seconds
	Entries             []entry
}

// entry is a message in ChangeMessageVisibilityBatch.
type entry struct {
	ID                string `json:"Id"`
	ReceiptHandle     string
	VisibilityTimeout int // seconds
}

// visibilityTimeout is SQS's default.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
const visibilityTimeout = 30 // seconds

// ServeHTTP answers ReceiveMessage, DeleteMessage, ChangeMessageVisibilityBatch and GetQueueAttributes, in SQS's
// JSON protocol.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Operations.html
func (q *Queues) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in input
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		refuse(w, "SerializationException", err.Error())
		return
	}
	// The last part of the URL is the queue's name. Nothing else of it counts.
	name := in.QueueURL[strings.LastIndexByte(in.QueueURL, '/')+1:]
	q.mu.Lock()
	defer q.mu.Unlock()
	messages, known := q.queues[name]
	if !known {
		refuse(w, "QueueDoesNotExist", "The specified queue does not exist.")
		return
	}
	switch _, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); operation {
	case "ReceiveMessage":
		// Zero seconds is a value: the message stays visible.
		seconds := visibilityTimeout
		if in.VisibilityTimeout != nil {
			seconds = *in.VisibilityTimeout
		}
		answer(w, map[string]any{"Messages": receive(messages, max(in.MaxNumberOfMessages, 1), inSeconds(seconds))})
	case "DeleteMessage": // deleting a message that is gone succeeds too
		q.queues[name] = slices.DeleteFunc(messages, func(m *message) bool { return m.has(in.ReceiptHandle) })
		answer(w, struct{}{})
	case "ChangeMessageVisibilityBatch":
		answer(w, changeVisibility(messages, in.Entries))
	case "GetQueueAttributes": // these two, whatever was asked for
		hidden := 0
		for _, m := range messages {
			if m.hidden.After(time.Now()) {
				hidden++
			}
		}
		answer(w, map[string]any{"Attributes": map[string]string{
			"ApproximateNumberOfMessages":           strconv.Itoa(len(messages) - hidden),
			"ApproximateNumberOfMessagesNotVisible": strconv.Itoa(hidden),
		}})
	default:
		refuse(w, "UnknownOperationException", "the local SQS has no "+operation)
	}
}

// inSeconds returns the time n seconds from now.
func inSeconds(n int) time.Time { return time.Now().Add(time.Duration(n) * time.Second) }

// has reports whether a receipt is the message's latest one.
func (m *message) has(receipt string) bool { return m.receipt == receipt && receipt != "" }

// changed is the result of ChangeMessageVisibilityBatch, by entry.
type changed struct {
	Successful []changedEntry `json:",omitempty"`
	Failed     []changedEntry `json:",omitempty"`
}

// changedEntry is the result for one entry, with a code if it failed.
type changedEntry struct {
	ID      string `json:"Id"`
	Code    string `json:",omitempty"`
	Message string `json:",omitempty"`
}

// changeVisibility changes each entry for itself. An outdated receipt fails its own entry only.
func changeVisibility(messages []*message, entries []entry) (c changed) {
	for _, e := range entries {
		i := slices.IndexFunc(messages, func(m *message) bool { return m.has(e.ReceiptHandle) })
		if i < 0 {
			c.Failed = append(c.Failed, changedEntry{
				e.ID, "ReceiptHandleIsInvalid", "The input receipt handle is invalid.",
			})
			continue
		}
		messages[i].hidden = inSeconds(e.VisibilityTimeout)
		c.Successful = append(c.Successful, changedEntry{ID: e.ID})
	}
	return c
}

// attribute is a message attribute in SQS's JSON. Lambda writes only strings.
type attribute struct{ DataType, StringValue string }

// receivedMessage is a message in the JSON of ReceiveMessage.
type receivedMessage struct {
	MessageID         string `json:"MessageId"`
	ReceiptHandle     string
	Body              string
	MD5OfBody         string               // SDKs verify it
	MessageAttributes map[string]attribute `json:",omitempty"`
}

// receive returns up to most visible messages, and hides them.
func receive(messages []*message, most int, until time.Time) (received []receivedMessage) {
	now := time.Now()
	for _, m := range messages {
		if len(received) == most || m.hidden.After(now) {
			continue
		}
		// A new receipt makes older ones invalid: their receivers have lost the message.
		m.receipt, m.hidden = awsform.Token(), until
		sum := md5.Sum([]byte(m.body))
		attributes := map[string]attribute{}
		for name, value := range m.attributes {
			attributes[name] = attribute{"String", value}
		}
		received = append(received, receivedMessage{
			MessageID:         m.id,
			ReceiptHandle:     m.receipt,
			Body:              m.body,
			MD5OfBody:         hex.EncodeToString(sum[:]),
			MessageAttributes: attributes,
		})
	}
	return received
}

// answer answers with a value in SQS's JSON protocol.
func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	json.NewEncoder(w).Encode(value)
}

// refuse answers with one of SQS's errors.
func refuse(w http.ResponseWriter, code, message string) {
	awsform.New(http.StatusBadRequest, "com.amazonaws.sqs#"+code, message).Write(w, awsform.JSON)
}
