// Package sqs stands for SQS: the queues of a template, to which Lambda sends the events with which a function has
// failed, and from which an operator's tool receives them. Unlike the service it has its messages in memory, keeps them
// until they are deleted, gives each to one receiver, and never waits for another.
package sqs

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/local/awserror"
	"frontdesk/internal/local/identifier"
)

// Queues are the queues of an account, by name. The zero Queues has none. Its methods may be called at any time, from
// any goroutine.
type Queues struct {
	mu     sync.Mutex
	queues map[string][]*message // the oldest first
}

type message struct {
	id, body   string
	attributes map[string]string
	receipt    string    // of the last receiver
	hidden     time.Time // until then nobody else receives it
}

// Create makes a queue, which is empty.
func (q *Queues) Create(name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.queues == nil {
		q.queues = map[string][]*message{}
	}
	q.queues[name] = nil
}

// Send puts a message into a queue.
func (q *Queues) Send(queue, body string, attributes map[string]string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queues[queue] = append(q.queues[queue], &message{id: identifier.UUID(), body: body, attributes: attributes})
}

// Len is how many messages a queue has, received or not.
func (q *Queues) Len(queue string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.queues[queue])
}

// input is what the operations are given, one or the other.
type input struct {
	QueueURL            string `json:"QueueUrl"`
	ReceiptHandle       string
	MaxNumberOfMessages int
	VisibilityTimeout   *int // seconds
}

// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
const visibilityTimeout = 30 // seconds, of a queue whose template is silent

// ServeHTTP answers ReceiveMessage, DeleteMessage and ChangeMessageVisibility, in SQS's JSON protocol.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Operations.html
func (q *Queues) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in input
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		refuse(w, "SerializationException", err.Error())
		return
	}
	name := in.QueueURL[strings.LastIndexByte(in.QueueURL, '/')+1:]
	hidden := visibilityTimeout
	if in.VisibilityTimeout != nil {
		hidden = *in.VisibilityTimeout
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	messages, known := q.queues[name]
	if !known {
		refuse(w, "QueueDoesNotExist", "The specified queue does not exist.")
		return
	}
	until := time.Now().Add(time.Duration(hidden) * time.Second)
	received := func(m *message) bool { return m.receipt == in.ReceiptHandle && m.receipt != "" }
	switch _, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); operation {
	case "ReceiveMessage":
		answer(w, map[string]any{"Messages": receive(messages, max(in.MaxNumberOfMessages, 1), until)})
	case "DeleteMessage": // of a message that is gone is a success as well
		q.queues[name] = slices.DeleteFunc(messages, received)
		answer(w, struct{}{})
	case "ChangeMessageVisibility":
		i := slices.IndexFunc(messages, received)
		if i < 0 {
			refuse(w, "ReceiptHandleIsInvalid", "The input receipt handle is invalid.")
			return
		}
		messages[i].hidden = until
		answer(w, struct{}{})
	default:
		refuse(w, "UnknownOperationException", "the local SQS has no "+operation)
	}
}

type attribute struct{ DataType, StringValue string }

type receivedMessage struct {
	MessageID         string `json:"MessageId"`
	ReceiptHandle     string
	Body              string
	MD5OfBody         string               // which SDKs look at
	MessageAttributes map[string]attribute `json:",omitempty"`
}

// receive gives at most so many messages that nobody has, and hides them.
func receive(messages []*message, most int, until time.Time) (received []receivedMessage) {
	now := time.Now()
	for _, m := range messages {
		if len(received) == most || m.hidden.After(now) {
			continue
		}
		m.receipt, m.hidden = identifier.Token(), until
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

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	json.NewEncoder(w).Encode(value)
}

func refuse(w http.ResponseWriter, code, message string) {
	awserror.New(http.StatusBadRequest, "com.amazonaws.sqs#"+code, message).Write(w, awserror.JSON)
}
