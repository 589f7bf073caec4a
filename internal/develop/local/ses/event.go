package ses

import (
	"bufio"
	"bytes"
	"cmp"
	"net/mail"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/develop/local/eventbridge"

	"github.com/emersion/go-message/textproto"
)

// detail is the detail of a mail's event. Besides the mail it has exactly one object, that of its type.
// https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
type detail struct {
	Type          string         `json:"eventType"`
	Mail          sent           `json:"mail"`
	Send          *struct{}      `json:"send,omitempty"`
	Reject        *reject        `json:"reject,omitempty"`
	Bounce        *bounce        `json:"bounce,omitempty"`
	Complaint     *complaint     `json:"complaint,omitempty"`
	Delivery      *delivery      `json:"delivery,omitempty"`
	DeliveryDelay *deliveryDelay `json:"deliveryDelay,omitempty"`
}

// sent is the mail object, which every event contains.
type sent struct {
	Timestamp        timestamp           `json:"timestamp"`
	Source           string              `json:"source"`
	SourceARN        string              `json:"sourceArn"`
	SendingAccountID string              `json:"sendingAccountId"`
	MessageID        string              `json:"messageId"`
	Destination      []string            `json:"destination"`
	HeadersTruncated bool                `json:"headersTruncated"`
	Headers          []header            `json:"headers"`
	CommonHeaders    map[string]any      `json:"commonHeaders"`
	Tags             map[string][]string `json:"tags"`
}

// header is a field of the message's header in an event.
type header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// reject is the object of a Reject event: SES found a virus.
type reject struct {
	Reason string `json:"reason"`
}

// bounce is the object of a Bounce event. Subtypes decide about the suppression list.
type bounce struct {
	FeedbackID string      `json:"feedbackId"`
	Type       string      `json:"bounceType"`
	SubType    string      `json:"bounceSubType"`
	Recipients []recipient `json:"bouncedRecipients"`
	Timestamp  timestamp   `json:"timestamp"`
	MTA        string      `json:"reportingMTA,omitempty"`
}

// complaint is the object of a Complaint event. It has a subtype only if SES did not send the mail.
type complaint struct {
	FeedbackID   string      `json:"feedbackId"`
	SubType      *string     `json:"complaintSubType"`
	Recipients   []recipient `json:"complainedRecipients"`
	Timestamp    timestamp   `json:"timestamp"`
	UserAgent    string      `json:"userAgent,omitempty"`
	FeedbackType string      `json:"complaintFeedbackType,omitempty"`
	Arrival      timestamp   `json:"arrivalDate"`
}

// delivery is the object of a Delivery event: a server has accepted the mail for these recipients.
type delivery struct {
	Timestamp    timestamp `json:"timestamp"`
	Milliseconds int64     `json:"processingTimeMillis"`
	Recipients   []string  `json:"recipients"`
	SMTPResponse string    `json:"smtpResponse"`
	MTA          string    `json:"reportingMTA"`
}

// deliveryDelay is the object of a DeliveryDelay event: a server could not be reached for these recipients, and SES
// will try again.
type deliveryDelay struct {
	Timestamp  timestamp   `json:"timestamp"`
	Type       string      `json:"delayType"`
	Recipients []recipient `json:"delayedRecipients"`
}

// recipient is a recipient of a bounce, a complaint or a delay.
type recipient struct {
	Email      string `json:"emailAddress"`
	Action     string `json:"action,omitempty"`
	Status     string `json:"status,omitempty"`
	Diagnostic string `json:"diagnosticCode,omitempty"`
}

// timestamp is a time that is written in UTC, with milliseconds.
type timestamp struct{ time.Time }

// MarshalJSON writes three digits of a second, also where they are zeros, which time.Time's own format would drop.
func (t timestamp) MarshalJSON() ([]byte, error) {
	return t.UTC().AppendFormat(nil, `"2006-01-02T15:04:05.000Z"`), nil
}

// detailTypes maps SES's types of events to EventBridge's names for them.
// https://docs.aws.amazon.com/eventbridge/latest/ref/events-ref-ses.html
var detailTypes = map[string]string{
	"Send": "Email Sent", "Reject": "Email Rejected", "Bounce": "Email Bounced", "Delivery": "Email Delivered",
	"Complaint": "Email Complaint Received", "DeliveryDelay": "Email Delivery Delayed",
}

// publishOutcomes decides the outcome of a mail. Recipients that bounce or complain go onto the suppression list, and
// the events go onto the bus.
func (e Endpoint) publishOutcomes(in *sendEmail, m Mail) error {
	happened := outcomes(m, e.Suppressed)
	if err := e.Suppressed.addBounced(m, happened); err != nil || len(e.Destinations) == 0 {
		return err
	}
	return e.publish(in, m, happened)
}

// publish puts those events of a mail on the bus for which the mail's configuration set has a destination.
func (e Endpoint) publish(in *sendEmail, m Mail, all []detail) error {
	mailObject := e.describe(in, m)
	v := e.Values
	var events []eventbridge.Event
	for _, happened := range all {
		happened.Mail = mailObject
		// Every event may be wanted by another destination, or by none.
		if !e.publishes(in.ConfigurationSetName, happened.Type) {
			continue
		}
		set := v.ARN("ses", "configuration-set/"+in.ConfigurationSetName)
		event, err := eventbridge.NewEvent(v, "aws.ses", detailTypes[happened.Type], []string{set}, happened)
		if err != nil {
			return err
		}
		events = append(events, event)
	}
	e.Bus.Put(events...)
	return nil
}

// publishes reports whether a configuration set has a destination for a type of event.
func (e Endpoint) publishes(set, eventType string) bool {
	for _, d := range e.Destinations {
		wanted := slices.ContainsFunc(d.Types, func(t string) bool { return strings.EqualFold(t, eventType) })
		if d.Set == set && wanted {
			return true
		}
	}
	return false
}

// maxHeaders is how much of a mail's headers its events contain, in bytes.
const maxHeaders = 10 << 10

// describe returns the mail object that all events of a mail share. It contains the headers' values undecoded, as they
// are in the message; what SES does is a guess.
func (e Endpoint) describe(in *sendEmail, m Mail) sent {
	v := e.Values
	s := sent{
		Timestamp: timestamp{m.ReceivedAt}, Source: m.From, SendingAccountID: v.AccountID, MessageID: m.ID,
		Destination: m.To, Headers: []header{}, CommonHeaders: map[string]any{"messageId": m.ID},
	}
	address := cmp.Or(in.senderAddress(), m.From)
	// SES allows either the address or its domain as an identity; the address is a guess.
	_, domain, _ := strings.Cut(address, "@")
	s.SourceARN = v.ARN("ses", "identity/"+address)
	s.Tags = map[string][]string{
		"ses:operation": {"SendEmail"}, "ses:configuration-set": {in.ConfigurationSetName},
		"ses:source-ip": {"127.0.0.1"}, "ses:from-domain": {domain}, "ses:caller-identity": {"local"},
	}
	for _, tag := range in.EmailTags {
		s.Tags[tag.Name] = []string{tag.Value}
	}
	message := bufio.NewReader(bytes.NewReader(in.Content.Raw.Data[:min(len(in.Content.Raw.Data), maxMailHeader)]))
	h, _ := textproto.ReadHeader(message) // an error means that the header ends there
	size := 0
	for fields := h.Fields(); fields.Next() && !s.HeadersTruncated; {
		size += len(fields.Key()) + len(fields.Value())
		// The first field that does not fit ends the list, as SES cuts it.
		if size > maxHeaders {
			s.HeadersTruncated = true
			continue
		}
		s.Headers = append(s.Headers, header{fields.Key(), fields.Value()})
		switch name := strings.ToLower(fields.Key()); name {
		case "from", "to", "cc", "bcc":
			s.CommonHeaders[name] = addresses(fields.Value())
		case "subject", "date":
			s.CommonHeaders[name] = fields.Value()
		case "reply-to":
			s.CommonHeaders["replyTo"] = addresses(fields.Value())
		}
	}
	return s
}

// senderAddress returns the bare sender, or "" if the message has none.
func (in sendEmail) senderAddress() string {
	address, _ := in.fromAddress()
	return address
}

// bare returns an address without the name in front of it.
func bare(address string) string {
	if parsed, err := mail.ParseAddress(address); err == nil {
		return parsed.Address
	}
	return address
}

// addresses splits the addresses of a header field. A field that cannot be parsed stays whole.
func addresses(field string) (list []string) {
	parsed, err := mail.ParseAddressList(field)
	if err != nil {
		return []string{field}
	}
	for _, a := range parsed {
		list = append(list, a.Address)
		if a.Name != "" {
			list[len(list)-1] = a.Name + " <" + a.Address + ">"
		}
	}
	return list
}
