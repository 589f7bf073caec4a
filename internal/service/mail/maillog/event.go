package maillog

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"strings"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/mail/redirect"
)

// Limits of what is kept of an event. An event has up to 1 MB; the limits keep the items of the log far below
// DynamoDB's 400 KB. A longer text is cut between two characters, and ends with an ellipsis.
const (
	maxDetail     = 300     // bytes
	maxHeader     = 256     // bytes of the subject, and of the sender
	maxRead       = 4 << 10 // bytes that are read of a detail, a header field or an address: parsers copy words again
	maxRecipients = 50      // of a mail, and of an event: SES takes no more for one message
)

// first returns as many elements of a list as are kept.
func first[T any](list []T) []T { return list[:min(len(list), maxRecipients)] }

// sesEvent is the part that we read of an event from EventBridge.
// https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
type sesEvent struct {
	Source string `json:"source"`
	Detail struct {
		EventType string `json:"eventType"`
		Mail      struct {
			Timestamp     time.Time `json:"timestamp"`
			MessageID     string    `json:"messageId"`
			Source        string    `json:"source"`
			Destination   []string  `json:"destination"`
			CommonHeaders struct {
				From    []string `json:"from"`
				Subject string   `json:"subject"`
			} `json:"commonHeaders"`
			Tags map[string][]string `json:"tags"`
		} `json:"mail"`
		Bounce struct {
			Type       string         `json:"bounceType"`
			SubType    string         `json:"bounceSubType"`
			Recipients []sesRecipient `json:"bouncedRecipients"`
			Timestamp  time.Time      `json:"timestamp"`
		} `json:"bounce"`
		Complaint struct {
			SubType      string         `json:"complaintSubType"`
			FeedbackType string         `json:"complaintFeedbackType"`
			Recipients   []sesRecipient `json:"complainedRecipients"`
			Timestamp    time.Time      `json:"timestamp"`
		} `json:"complaint"`
		Delivery struct {
			Recipients   []string  `json:"recipients"`
			SMTPResponse string    `json:"smtpResponse"`
			Timestamp    time.Time `json:"timestamp"`
		} `json:"delivery"`
		Delay struct {
			Type       string         `json:"delayType"`
			Recipients []sesRecipient `json:"delayedRecipients"`
			Timestamp  time.Time      `json:"timestamp"`
		} `json:"deliveryDelay"`
		Reject struct {
			Reason string `json:"reason"`
		} `json:"reject"`
	} `json:"detail"`
}

type sesRecipient struct {
	Email      string `json:"emailAddress"`
	Diagnostic string `json:"diagnosticCode"`
}

// logged is a mail as its events describe it. All events of a mail describe it in the same way, so any of them can
// create its entry.
type logged struct {
	id      string // SES's
	mailKey id.ID
	sentAt  time.Time
	from    string
	subject string
	to      []string
	names   spellings // of to

	redirected bool // to are not the original recipients
}

// happening is one outcome of a mail, for some of its recipients or for an address that it was not sent to.
type happening struct {
	outcome    Status
	at         time.Time
	recipients []string // of the mail; empty if SES names none of them
	detail     string
}

// parse reads an event. It returns no happenings for a mail that no mail key sent, and for a type that says nothing
// about the outcome. An event of one of our mails that lacks what every event has is an error, so that it is not lost:
// it ends in the dead-letter queue.
func parse(event []byte) (m logged, happened []happening, err error) {
	var e sesEvent
	err = json.Unmarshal(event, &e)
	if _, malformed := errors.AsType[*time.ParseError](err); malformed {
		// The error's own text quotes the event, which may have an address there, and would reach the log.
		return m, nil, errors.New("decode event: a timestamp is malformed")
	}
	if err != nil {
		return m, nil, fmt.Errorf("decode event: %w", err)
	}
	tags := e.Detail.Mail.Tags[mailkey.Tag]
	if e.Source != "aws.ses" || len(tags) != 1 {
		return m, nil, nil
	}
	var ours bool
	m.mailKey, ours = id.Parse(tags[0])
	if !ours {
		return m, nil, nil
	}
	sent := e.Detail.Mail
	m.id, m.sentAt = sent.MessageID, inMilliseconds(sent.Timestamp)
	if !isMailID(m.id) || m.sentAt.IsZero() || len(sent.Destination) == 0 {
		return m, nil, errors.New("the event has no messageId, timestamp or destination of its mail")
	}
	m.redirected = len(sent.Tags[redirect.Tag]) > 0
	m.subject = header(sent.CommonHeaders.Subject)
	m.from = header(sent.Source)
	if len(sent.CommonHeaders.From) > 0 {
		m.from = header(sent.CommonHeaders.From[0])
	}
	for _, address := range first(sent.Destination) {
		m.to = append(m.to, bare(address))
	}
	m.names = spellingsOf(m.to)
	return m, m.happenings(e), nil
}

// happenings converts an event. Recipients with different details get a happening for each detail.
func (m logged) happenings(e sesEvent) []happening {
	switch d := e.Detail; d.EventType {
	case "Send":
		return []happening{{outcome: Sent, at: m.sentAt, recipients: m.to}}
	case "Reject":
		return []happening{{outcome: Rejected, at: m.sentAt, recipients: m.to, detail: m.brief(d.Reject.Reason)}}
	case "Delivery":
		var recipients []sesRecipient
		for _, address := range d.Delivery.Recipients {
			recipients = append(recipients, sesRecipient{Email: address})
		}
		return m.byDiagnostic(Delivered, d.Delivery.Timestamp, d.Delivery.SMTPResponse, recipients)
	case "DeliveryDelay":
		return m.byDiagnostic(Delayed, d.Delay.Timestamp, d.Delay.Type, d.Delay.Recipients)
	case "Bounce":
		b, detail := d.Bounce, d.Bounce.Type+" "+d.Bounce.SubType
		if suppresses(b.SubType) {
			detail, b.Recipients = b.SubType, underList(b.SubType, b.Recipients)
		}
		return m.byDiagnostic(bounce(b.Type, b.SubType), b.Timestamp, detail, b.Recipients)
	case "Complaint":
		c, outcome, detail := d.Complaint, Complained, cmp.Or(d.Complaint.FeedbackType, d.Complaint.SubType)
		if suppresses(c.SubType) {
			outcome, detail = Suppressed, c.SubType
		}
		return m.byDiagnostic(outcome, c.Timestamp, detail, c.Recipients)
	}
	return nil
}

// byDiagnostic groups recipients of one outcome by their diagnostic. Fallback is the detail of recipients without one,
// and of an event that names nobody.
func (m logged) byDiagnostic(
	outcome Status, at time.Time, fallback string, recipients []sesRecipient,
) (all []happening) {
	byDetail := map[string]int{}
	for _, r := range first(recipients) {
		detail := m.brief(cmp.Or(r.Diagnostic, fallback))
		i, known := byDetail[detail]
		if !known {
			i, byDetail[detail] = len(all), len(all)
			all = append(all, happening{outcome: outcome, at: inMilliseconds(at), detail: detail})
		}
		if to, ours := m.names.find(r.Email); ours {
			all[i].recipients = append(all[i].recipients, to)
		}
	}
	if len(all) == 0 {
		return []happening{{outcome: outcome, at: inMilliseconds(at), detail: m.brief(fallback)}}
	}
	return all
}

// bounce maps the type of a bounce to a status. Transient General and Undetermined are what automatic answers
// look like.
// https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html#bounce-types
func bounce(kind, subKind string) Status {
	switch {
	case suppresses(subKind):
		return Suppressed
	case kind == "Transient" && subKind == "General", kind == "Undetermined":
		return answered
	}
	return Bounced
}

// underList puts the name of the suppression list before the diagnostics. An operator needs it: he can remove an
// address from the account's own list, and not from SES's.
func underList(name string, recipients []sesRecipient) (named []sesRecipient) {
	for _, r := range recipients {
		if r.Diagnostic != "" {
			r.Diagnostic = name + ": " + r.Diagnostic
		}
		named = append(named, r)
	}
	return named
}

// suppresses reports whether a subtype means that SES did not try, because the address is on SES's suppression list,
// or on the account's or the tenant's.
func suppresses(subType string) bool {
	switch subType {
	case "Suppressed", "OnAccountSuppressionList", "OnTenantSuppressionList":
		return true
	}
	return false
}

// inMilliseconds brings a time into the form that is stored: UTC, in milliseconds as SES gives it.
func inMilliseconds(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// header decodes the encoded-words (RFC 2047) of a header field, and shortens it.
func header(value string) string {
	value = api.Shorten(value, maxRead)
	if decoded, err := new(mime.WordDecoder).DecodeHeader(value); err == nil {
		value = decoded
	}
	return api.Shorten(strings.ToValidUTF8(value, "\uFFFD"), maxHeader)
}

// brief is the part of a detail that is kept: shortened, and without the addresses of others.
func (m logged) brief(detail string) string {
	if len(detail) > maxRead {
		detail = detail[:maxRead]
		detail = detail[:strings.LastIndexByte(detail, ' ')+1] // a word that is cut may be an address
	}
	return api.Shorten(m.names.redact(strings.ToValidUTF8(strings.TrimSpace(detail), "\uFFFD")), maxDetail)
}

// isMailID reports whether a text could be an id of SES: ASCII letters, digits and hyphens. It becomes part of a key.
func isMailID(s string) bool {
	return s != "" && len(s) <= 128 && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-'
	})
}
