// Package ses stands in for SES: SendEmail, the outbox that keeps its mails, the events that are published, the mailbox
// simulator, the suppression list, and the permissions that SendEmail needs. It differs from the service: it accepts
// raw content only, and delivers nothing, although its events say so at once. Every address is verified, there is no
// quota, and no mail is delayed or rejected.
package ses

import (
	"context"
	"fmt"
	"net/http"

	"frontdesk/internal/develop/local/awsform"
	"frontdesk/internal/develop/local/eventbridge"
	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/samtemplate"
)

// Endpoint answers SendEmail of API version 2. It puts every message into the outbox, and its events on the bus. Who
// may send is checked by the AWS proxy.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
type Endpoint struct {
	Outbox       *Outbox
	Suppressed   *SuppressionList               // learns who bounces or complains
	Bus          *eventbridge.Bus               // nil if there are no Destinations
	Destinations []samtemplate.EventDestination // of all configuration sets
	Values       samtemplate.Values
}

// Limits of SES.
// https://docs.aws.amazon.com/ses/latest/dg/quotas.html
const (
	MaxBody       = 60 << 20 // bytes of a request: the message in base64, and the rest
	maxRecipients = 50       // To, Cc and Bcc together
	maxMessage    = 40 << 20 // bytes, after decoding
)

// requestKey is the key of the request's id in a context of [ForRequest].
type requestKey struct{}

// ForRequest returns a context for the calls that a function makes while it serves a request to the API. So the outbox
// knows the request's id.
func ForRequest(ctx context.Context, requestID string) context.Context {
	return context.WithValue(ctx, requestKey{}, requestID)
}

// ServeHTTP answers SendEmail, and refuses everything else.
func (e Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, refused := e.send(w, r)
	if refused != nil {
		refused.Write(w, awsform.RESTJSON)
		return
	}
	httpserver.WriteJSON(w, map[string]string{"MessageId": id})
}

// send checks a request as SES does, and keeps the mail.
func (e Endpoint) send(w http.ResponseWriter, r *http.Request) (messageID string, refused *awsform.Error) {
	if r.Method != http.MethodPost || r.URL.Path != "/v2/email/outbound-emails" {
		return "", awsform.New(http.StatusNotFound, "UnknownOperationException", "the local SES knows SendEmail only")
	}
	in, refused := readSendEmail(w, r)
	if refused != nil {
		return "", refused
	}
	raw, to := in.Content.Raw.Data, in.envelope()
	switch {
	case len(to) == 0:
		return "", badRequest("Missing required destination.")
	case len(to) > maxRecipients:
		return "", badRequest("Recipient count exceeds %d.", maxRecipients)
	case len(raw) == 0:
		return "", badRequest("Raw message data is empty.")
	case len(raw) > maxMessage:
		return "", badRequest("Message length is more than %d bytes long: '%d'.", maxMessage, len(raw))
	}
	// The outbox owns the message from here on; happen reads it, but does not change it.
	mail, err := e.Outbox.Add(in.mail(r.Context()), raw)
	if err == nil {
		err = e.publishOutcomes(in, mail)
	}
	if err != nil {
		return "", awsform.New(http.StatusInternalServerError, "InternalServiceErrorException", err.Error())
	}
	return mail.ID, nil
}

// readSendEmail reads a request into one buffer, and decodes the message from it into another. After that the first one
// is garbage.
func readSendEmail(w http.ResponseWriter, r *http.Request) (*sendEmail, *awsform.Error) {
	body, err := httpserver.ReadBody(http.MaxBytesReader(w, r.Body, MaxBody), min(r.ContentLength, MaxBody))
	if err != nil {
		return nil, badRequest("The request cannot be read: %v.", err)
	}
	in, err := parse(body)
	if err == nil {
		err = in.decode()
	}
	if err != nil {
		return nil, badRequest("The request is not in the form of SendEmail: %v.", err)
	}
	if in.Content.Raw == nil {
		return nil, badRequest("The local SES takes raw content only.")
	}
	return in, nil
}

// badRequest is SES's error for a request that breaks a rule.
func badRequest(format string, args ...any) *awsform.Error {
	return awsform.New(http.StatusBadRequest, "BadRequestException", fmt.Sprintf(format, args...))
}
