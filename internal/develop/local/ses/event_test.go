package ses

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/eventbridge"
	"frontdesk/internal/develop/local/samtemplate"
	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// object is a JSON object.
type object = map[string]any

// startEvents returns an endpoint whose configuration set "set" publishes events of these types, and the events. Each
// event also goes back to the outbox, as in the stack.
func startEvents(t *testing.T, eventTypes ...string) (Endpoint, *[]eventbridge.Event) {
	t.Helper()
	events := new([]eventbridge.Event)
	outbox := newOutbox(t, t.TempDir())
	bus, err := eventbridge.New(eventbridge.Config{Watch: func(e eventbridge.Event) {
		*events = append(*events, e)
		outbox.AddEvent(e)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return Endpoint{
		Outbox: outbox, Suppressed: &SuppressionList{}, Bus: bus,
		Values:       samtemplate.Values{Region: "us-east-1", AccountID: "123456789012", Partition: "aws"},
		Destinations: []samtemplate.EventDestination{{Set: "set", Types: eventTypes}},
	}, events
}

// allTypes are the types of events that the local SES knows, in the spelling of a template.
var allTypes = []string{"send", "reject", "bounce", "complaint", "delivery", "deliveryDelay"}

// TestMailboxSimulator shows for each address of the simulator which events come, and which status the outbox shows,
// also after a restart.
// https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html#send-email-simulator
func TestMailboxSimulator(t *testing.T) {
	// at returns an address of the simulator.
	at := func(name string) string { return name + "@simulator.amazonses.com" }
	all := []string{at("success"), at("bounce"), at("complaint"), at("ooto"), at("suppressionlist")}
	const suppressed = "Bounce Amazon SES has suppressed sending to this address because it has a recent history of " +
		"bouncing as an invalid address."
	for name, c := range map[string]struct {
		to     []string
		want   []string // events other than Send
		status string
	}{
		"another address": {[]string{"a@example.org"},
			[]string{"Delivery 250 2.6.0 Message received"}, "delivered"},
		"a name in front": {[]string{"Ada <a@example.org>"},
			[]string{"Delivery 250 2.6.0 Message received"}, "delivered"},
		// The name alone decides nothing.
		"another domain's bounce": {[]string{"bounce@example.org"},
			[]string{"Delivery 250 2.6.0 Message received"}, "delivered"},
		"success": {all[:1], []string{"Delivery 250 2.6.0 Message received"}, "delivered"},
		"bounce":  {all[1:2], []string{"Bounce smtp; 550 5.1.1 user unknown"}, "bounced"},
		// A label after a plus sign tells mails apart, and does not change the outcome.
		"a label": {[]string{at("bounce+label")}, []string{"Bounce smtp; 550 5.1.1 user unknown"}, "bounced"},
		"letters": {[]string{"Bounce@Simulator.AmazonSES.com"},
			[]string{"Bounce smtp; 550 5.1.1 user unknown"}, "bounced"},
		"complaint": {all[2:3], []string{"Delivery 250 2.6.0 Message received", "Complaint abuse"}, "complained"},
		// An out-of-office reply arrives as a bounce of the type Transient and the subtype General. The mail
		// was delivered.
		"ooto": {all[3:4],
			[]string{"Delivery 250 2.6.0 Message received", "Bounce Transient General"}, "delivered"},
		"suppressionlist": {all[4:], []string{suppressed}, "suppressed"},
		// One mail to all five: the worst outcome is the mail's status.
		"all of them": {all, []string{
			"Delivery 250 2.6.0 Message received", "Bounce smtp; 550 5.1.1 user unknown",
			suppressed, "Bounce Transient General", "Complaint abuse",
		}, "complained"},
		// One Delivery event per domain, because each domain's server accepts its own recipients.
		"two domains": {[]string{"a@example.org", "b@example.com", "c@example.org"}, []string{
			"Delivery 250 2.6.0 Message received", "Delivery 250 2.6.0 Message received"}, "delivered"},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint, _ := startEvents(t, allTypes...)
			client := start(t, endpoint)
			in := sendEmailInput([]byte("Subject: x\r\n\r\n"), c.to, nil, nil)
			if _, err := client.SendEmail(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			m := endpoint.Outbox.Mails()[0]
			reached := map[string]bool{}
			var got []string
			// The first event is always Send.
			for _, e := range m.Events[1:] {
				got = append(got, e.Type+" "+e.Detail)
				for _, to := range e.Recipients {
					reached[to] = true
				}
			}
			expect.Equal(t, m.Events[0].Type, "Send")
			expect.Equal(t, got, c.want)
			// Every recipient has an outcome of its own: none is forgotten, although recipients share events.
			expect.Equal(t, len(reached), len(c.to))
			if m.Status != c.status {
				t.Errorf("the status is %s, want %s", m.Status, c.status)
			}
			// The outbox in the folder is opened a second time, as after a restart.
			again, err := OpenOutbox(endpoint.Outbox.folder, func() {})
			if err != nil {
				t.Fatalf("after a restart: %v", err)
			}
			expect.Equal(t, again.Mails()[0], m, "after a restart")
		})
	}
}

// TestEventsAreAsDocumented compares every field of the events of a mail with SES's documentation.
// https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-examples.html
func TestEventsAreAsDocumented(t *testing.T) {
	endpoint, events := startEvents(t, allTypes...)
	// The folded To field and the encoded Subject show in which form headers get into an event: unfolded, but
	// not decoded.
	const bounce, complaint = "bounce@simulator.amazonses.com", "complaint@simulator.amazonses.com"
	in := sendEmailInput([]byte("From: Ada <sender@example.com>\r\nTo: "+bounce+",\r\n "+complaint+
		"\r\nSubject: =?utf-8?q?Caf=C3=A9?=\r\nReply-To: r@example.com\r\n\r\nbody\r\n"),
		[]string{bounce, complaint}, nil, nil)
	in.EmailTags = []types.MessageTag{{Name: aws.String("campaign"), Value: aws.String("spring")}}
	out, err := start(t, endpoint).SendEmail(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	id := aws.ToString(out.MessageId)
	sentAt := endpoint.Outbox.Mails()[0].ReceivedAt.Format("2006-01-02T15:04:05.000Z")
	to := []any{bounce, complaint}
	mailObject := object{
		"timestamp": sentAt, "source": "sender@example.com", "messageId": id, "destination": to,
		"sourceArn":        "arn:aws:ses:us-east-1:123456789012:identity/sender@example.com",
		"sendingAccountId": "123456789012", "headersTruncated": false,
		"headers": []any{
			object{"name": "From", "value": "Ada <sender@example.com>"},
			object{"name": "To", "value": bounce + ", " + complaint},
			object{"name": "Subject", "value": "=?utf-8?q?Caf=C3=A9?="},
			object{"name": "Reply-To", "value": "r@example.com"},
		},
		"commonHeaders": object{
			"messageId": id, "from": []any{"Ada <sender@example.com>"}, "to": to, "replyTo": []any{"r@example.com"},
			"subject": "=?utf-8?q?Caf=C3=A9?=",
		},
		// The tags that begin with ses: are added by SES.
		"tags": object{
			"campaign": []any{"spring"}, "ses:operation": []any{"SendEmail"}, "ses:configuration-set": []any{"set"},
			"ses:source-ip": []any{"127.0.0.1"}, "ses:from-domain": []any{"example.com"},
			"ses:caller-identity": []any{"local"},
		},
	}
	want := []struct {
		detailType string
		own        object
	}{
		// The order is that of the times. The mail to the complaint address is delivered first: only who has it
		// can complain.
		{"Email Sent", object{"eventType": "Send", "send": object{}}},
		{"Email Delivered", object{"eventType": "Delivery", "delivery": object{
			"processingTimeMillis": 1.0, "recipients": []any{complaint},
			"smtpResponse": "250 2.6.0 Message received", "reportingMTA": "a8-70.smtp-out.amazonses.com",
		}}},
		{"Email Bounced", object{"eventType": "Bounce", "bounce": object{
			"bounceType": "Permanent", "bounceSubType": "General", "reportingMTA": "dns; a8-70.smtp-out.amazonses.com",
			"bouncedRecipients": []any{object{
				"emailAddress": bounce, "action": "failed", "status": "5.1.1",
				"diagnosticCode": "smtp; 550 5.1.1 user unknown",
			}},
		}}},
		{"Email Complaint Received", object{"eventType": "Complaint", "complaint": object{
			"complainedRecipients": []any{object{"emailAddress": complaint}},
			"complaintSubType":     nil, "complaintFeedbackType": "abuse", "userAgent": "Amazon SES Mailbox Simulator",
			"arrivalDate": sentAt,
		}}},
	}
	if len(*events) != len(want) {
		t.Fatalf("there are %d events", len(*events))
	}
	for i, e := range *events {
		expect.Equal(t, e.DetailType, want[i].detailType)
		expect.Equal(t, e.Version, "0")
		expect.Equal(t, e.Source, "aws.ses")
		expect.Equal(t, e.Region, "us-east-1")
		expect.Equal(t, e.Account, "123456789012")
		expect.Equal(t, len(e.ID), 36)
		expect.Equal(t, e.Resources, []string{"arn:aws:ses:us-east-1:123456789012:configuration-set/set"})
		var got object
		if err := json.Unmarshal(e.Detail, &got); err != nil {
			t.Fatal(err)
		}
		for _, part := range got { // fields that differ from mail to mail
			if part, ok := part.(object); ok && part["messageId"] == nil {
				delete(part, "timestamp")
				delete(part, "feedbackId")
			}
		}
		want[i].own["mail"] = mailObject
		if !reflect.DeepEqual(got, want[i].own) {
			t.Errorf("the detail is %v,\nwant %v", got, want[i].own)
		}
	}
}

// TestOnlyWhatADestinationWantsIsPublished shows that a set and its list of types decide which events are published.
// Without a configuration set there are none. The mail has two events, Send and Delivery, but the destination wants
// Send and Bounce.
func TestOnlyWhatADestinationWantsIsPublished(t *testing.T) {
	for name, c := range map[string]struct {
		set  string
		want int
	}{"the set with the destination": {"set", 1}, "another set": {"other", 0}, "no set": {"", 0}} {
		t.Run(name, func(t *testing.T) {
			endpoint, events := startEvents(t, "bounce", "send")
			in := sendEmailInput([]byte("x"), []string{"a@example.org"}, nil, nil)
			in.ConfigurationSetName = &c.set
			if _, err := start(t, endpoint).SendEmail(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			if len(*events) != c.want {
				t.Errorf("%d events are published, want %d", len(*events), c.want)
			}
		})
	}
}

// TestLongHeadersAreCutInEvents shows the limit of 10 KB for headers in events. The header has 100 fields of about 204
// bytes, of which 50 fit.
func TestLongHeadersAreCutInEvents(t *testing.T) {
	endpoint, events := startEvents(t, "send")
	var raw strings.Builder
	for i := range 100 {
		fmt.Fprintf(&raw, "X-%d: %s\r\n", i, strings.Repeat("x", 200))
	}
	_, err := start(t, endpoint).SendEmail(t.Context(),
		sendEmailInput([]byte(raw.String()+"\r\n"), []string{"a@example.org"}, nil, nil))
	var got detail
	if err != nil || json.Unmarshal((*events)[0].Detail, &got) != nil {
		t.Fatal(err)
	}
	n := len(got.Mail.Headers)
	expect.Equal(t, got.Mail.HeadersTruncated, true)
	expect.AtLeast(t, n, 45, "len(got.Mail.Headers)")
	expect.AtMost(t, n, 52, "len(got.Mail.Headers)")
}

// TestStatusOfAMail lists events of a mail to a and b, in any order, and the status that follows. The worst recipient
// decides, and a later event does not undo a worse one. EventBridge promises no order of events. An event
// without a status is an automatic answer.
func TestStatusOfAMail(t *testing.T) {
	for events, want := range map[string]string{
		"":                                   "",
		"sent ab":                            "sent",
		"sent ab,delivered a":                "sent",
		"sent ab,delivered a,delivered b":    "delivered",
		"delivered ab,sent ab":               "delivered",
		"sent ab,delayed a":                  "delayed",
		"sent ab,delivered ab,delayed a":     "delivered",
		"sent ab,delivered ab, a":            "delivered",
		"sent ab,delivered a,bounced b":      "bounced",
		"delivered a,suppressed b,bounced a": "bounced",
		"complained a,delivered ab,sent ab":  "complained",
		"rejected ab":                        "rejected",
	} {
		var list []Event
		for _, e := range strings.Split(events, ",") {
			s, to, _ := strings.Cut(e, " ")
			list = append(list, Event{Status: s, Recipients: strings.Split(to, "")})
		}
		if got, _ := outcome(list); got != want {
			t.Errorf("%s: %q, want %q", events, got, want)
		}
	}
}

// TestTheAnswerOfAWebhookIsKept: the last one, with its event, also after a restart.
func TestTheAnswerOfAWebhookIsKept(t *testing.T) {
	endpoint, events := startEvents(t, allTypes...)
	in := sendEmailInput([]byte("Subject: x\r\n\r\n"), []string{"a@example.org"}, nil, nil)
	if _, err := start(t, endpoint).SendEmail(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	before := endpoint.Outbox.Mails()[0]
	endpoint.Outbox.SetWebhook((*events)[0], "503 Service Unavailable")
	endpoint.Outbox.SetWebhook((*events)[0], "204 No Content")
	endpoint.Outbox.SetWebhook(eventbridge.Event{Source: "aws.ses", Detail: []byte("{}")}, "of no mail")
	for _, o := range []*Outbox{endpoint.Outbox, newOutbox(t, endpoint.Outbox.folder)} {
		m := o.Mails()[0]
		expect.Equal(t, m.Events[0].Webhook, "204 No Content", "answer")
		expect.Equal(t, m.Events[1].Webhook, "", "answer to another event")
		expect.Equal(t, m.Status, "delivered")
	}
	expect.Equal(t, before.Events[0].Webhook, "", "what was read before")
}
