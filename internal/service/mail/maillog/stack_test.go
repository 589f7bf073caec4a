package maillog_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/mail"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/develop/local/lambda"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/mail/mailkey"
)

type (
	object = fixture.Object
	array  = fixture.Array
)

// stack is a running stack with a mail key.
type stack struct {
	*fixture.Stack
	id  id.ID
	key string
}

// start starts a stack with a mail key.
func start(t testing.TB, change ...func(*local.Options)) *stack {
	t.Helper()
	s := &stack{Stack: fixture.Start(t, change...)}
	s.id, s.key = s.newKey(t)
	return s
}

func (s *stack) newKey(t testing.TB) (id.ID, string) {
	t.Helper()
	k, text := s.NewMailKey(t, mailkey.Key{Name: "test", Sender: mail.Address{Address: "sender@example.com"}})
	return k.ID, text
}

// sentMail is a mail that SES has events of.
type sentMail struct {
	id, key string
	at      time.Time
	to      []string
}

func (s *stack) sent(to ...string) sentMail {
	return sentMail{newMailID(), s.id.String(), time.Now().UTC().Truncate(time.Millisecond), to}
}

// newMailID is an id as SES makes them.
func newMailID() string { return "0100019a2b3c4d5e-" + strings.ToLower(rand.Text()) + "-000000" }

// event is an event as SES publishes it to EventBridge, of a type, with that type's own part. It came some seconds
// after the mail was sent.
// https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-examples.html
func (m sentMail) event(kind string, seconds int, own object) object {
	names := map[string]string{
		"Send": "Email Sent", "Delivery": "Email Delivered", "Bounce": "Email Bounced",
		"Complaint": "Email Complaint Received", "Reject": "Email Rejected", "DeliveryDelay": "Email Delivery Delayed",
	}
	part := object{"timestamp": m.at.Add(time.Duration(seconds) * time.Second).Format("2006-01-02T15:04:05.000Z")}
	if kind == "Send" || kind == "Reject" {
		part = object{}
	}
	field := strings.ToLower(kind[:1]) + kind[1:]
	to := make(array, len(m.to))
	for i, address := range m.to {
		to[i] = address
	}
	return object{
		"version": "0", "id": rand.Text(), "detail-type": names[kind], "source": "aws.ses", "account": "123456789012",
		"time": m.at.Format(time.RFC3339), "region": "us-east-1",
		"resources": array{"arn:aws:ses:us-east-1:123456789012:configuration-set/frontdesk"},
		"detail": object{
			"eventType": kind,
			"mail": object{
				"timestamp": m.at.Format("2006-01-02T15:04:05.000Z"), "source": "sender@example.com",
				"sendingAccountId": "123456789012", "messageId": m.id, "destination": to, "headersTruncated": false,
				"headers": array{object{"name": "Subject", "value": "Grüße, your ticket"}},
				"commonHeaders": object{
					"from": array{"Sender <sender@example.com>"}, "to": to, "messageId": m.id,
					"subject": "=?utf-8?q?Gr=C3=BC=C3=9Fe,_your_ticket?=",
				},
				"tags": object{"frontdesk-key": array{m.key}, "ses:configuration-set": array{"frontdesk"}},
			},
			field: fixture.With(part, own),
		},
	}
}

// mailOf is what an event says of its mail.
func mailOf(event object) object { return event["detail"].(object)["mail"].(object) }

func (m sentMail) send() object { return m.event("Send", 0, nil) }

func (m sentMail) delivery(seconds int, to ...string) object {
	return m.event("Delivery", seconds, object{
		"recipients": to, "smtpResponse": "250 2.6.0 Message received", "processingTimeMillis": 3,
	})
}

func (m sentMail) delay(seconds int, to string) object {
	return m.event("DeliveryDelay", seconds, object{"delayType": "MailboxFull", "delayedRecipients": array{
		object{"emailAddress": to, "status": "4.2.2", "diagnosticCode": "smtp; 452 4.2.2 mailbox full"},
	}})
}

func (m sentMail) bounce(seconds int, kind, subKind, diagnostic string, to ...string) object {
	var recipients array
	for _, address := range to {
		r := object{"emailAddress": address}
		if diagnostic != "" {
			r = fixture.With(r, object{"action": "failed", "status": "5.1.1", "diagnosticCode": diagnostic})
		}
		recipients = append(recipients, r)
	}
	return m.event("Bounce", seconds, object{
		"bounceType": kind, "bounceSubType": subKind, "bouncedRecipients": recipients, "feedbackId": "0100017c",
	})
}

func (m sentMail) complaint(seconds int, subKind any, to string) object {
	return m.event("Complaint", seconds, object{
		"complainedRecipients": array{object{"emailAddress": to}}, "complaintSubType": subKind,
		"complaintFeedbackType": "abuse", "userAgent": "Amazon SES Mailbox Simulator",
	})
}

func (m sentMail) reject() object { return m.event("Reject", 0, object{"reason": "Bad content"}) }

// publish hands an event to the function as Lambda does, and gives the name of that under which the AWS proxy knows it.
func (s *stack) publish(t testing.TB, event any) (requestID string, err error) {
	t.Helper()
	text, ok := event.(string)
	if !ok {
		encoded, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		text = string(encoded)
	}
	requestID = rand.Text()
	_, _, err = s.Lambda().Invoke(context.Background(), "RecordMailEventFunction", lambda.Event{
		RequestID: requestID, Payload: []byte(text),
	})
	return requestID, err
}

func (s *stack) record(t testing.TB, events ...object) {
	t.Helper()
	for _, e := range events {
		if _, err := s.publish(t, e); err != nil {
			t.Fatal(err)
		}
	}
}

// shown is a mail as the API answers it.
type shown struct {
	ID         string      `json:"id"`
	Status     string      `json:"status"`
	From       string      `json:"from"`
	Subject    string      `json:"subject"`
	SentAt     time.Time   `json:"sent_at"`
	Recipients []recipient `json:"recipients"`
	Redirected bool        `json:"redirected"`
	Events     []struct {
		Type       string    `json:"type"`
		At         time.Time `json:"at"`
		Recipients []string  `json:"recipients"`
		Detail     string    `json:"detail"`
	} `json:"events"`
	MoreEvents bool `json:"more_events"`
}

type recipient struct {
	Email  string    `json:"email"`
	Status string    `json:"status"`
	At     time.Time `json:"at"`
	Detail string    `json:"detail"`
}

// statuses are those of a mail and of its recipients, for comparison.
func (m shown) statuses() string {
	text := m.Status + ":"
	for _, r := range m.Recipients {
		text += " " + r.Email + "=" + r.Status
	}
	return text
}

func (s *stack) show(t testing.TB, key, mailID string) (fixture.Answer, shown) {
	t.Helper()
	a := s.Call(t, fixture.To("getMail", mailID), fixture.Token(key), nil)
	var body struct{ Payload shown }
	a.Decode(t, &body)
	return a, body.Payload
}

// page is a page of a list as the API answers it.
type page struct {
	Payload []shown
	Meta    struct {
		NextCursor string `json:"next_cursor"`
	}
}

func (s *stack) list(t testing.TB, key, query string) (fixture.Answer, page) {
	t.Helper()
	a := s.Call(t, fixture.To("listMails").Query(query), fixture.Token(key), nil)
	var p page
	a.Decode(t, &p)
	return a, p
}

// logged are the items of the log.
func (s *stack) logged(t testing.TB) int {
	return s.CountItems(t, table.MailEvents, "") + s.CountItems(t, table.MailLogs, "")
}

func fail(action string, f *awsproxy.Fault) func(awsproxy.Call) *awsproxy.Fault {
	failed := false
	return func(c awsproxy.Call) *awsproxy.Fault {
		if c.Action != action || failed {
			return nil
		}
		failed = true
		return f
	}
}

func errorf(a fixture.Answer) string { return fmt.Sprintf("%d %s", a.Status, a.Raw) }
