// Package ses stands for SES.
package ses

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"frontdesk/internal/local/awserror"
	"frontdesk/internal/local/httpbody"
)

// Endpoint is the one operation of SES that the functions use, SendEmail of API version 2 with raw
// content: it puts every message into the outbox, and sends none. Who may send is the gate's
// business; every address counts as verified.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
type Endpoint struct{ Outbox *Outbox }

// MaxBody is the longest request that is read, in bytes: what SES takes, in base64.
const MaxBody = 60 << 20

// What SES takes. https://docs.aws.amazon.com/ses/latest/dg/quotas.html
const (
	maxRecipients = 50       // To, Cc and Bcc together
	maxMessage    = 40 << 20 // bytes, after decoding
)

func (e Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, refused := e.send(w, r)
	if refused != nil {
		refused.Write(w, awserror.RESTJSON)
		return
	}
	httpbody.WriteJSON(w, map[string]string{"MessageId": id})
}

func (e Endpoint) send(w http.ResponseWriter, r *http.Request) (messageID string, refused *awserror.Error) {
	if r.Method != http.MethodPost || r.URL.Path != "/v2/email/outbound-emails" {
		return "", awserror.New(http.StatusNotFound, "UnknownOperationException", "the local SES knows SendEmail only")
	}
	in, refused := readSendEmail(w, r)
	if refused != nil {
		return "", refused
	}
	raw := in.Content.Raw.Data
	to := slices.Concat(in.Destination.ToAddresses, in.Destination.CcAddresses, in.Destination.BccAddresses)
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
	mail, err := e.Outbox.Add(in.FromEmailAddress, to, raw)
	if err != nil {
		return "", awserror.New(http.StatusInternalServerError, "InternalServiceErrorException", err.Error())
	}
	return mail.ID, nil
}

// readSendEmail reads a request into one buffer, from which the message is decoded into another; the
// first is garbage from then on.
func readSendEmail(w http.ResponseWriter, r *http.Request) (*sendEmail, *awserror.Error) {
	body, err := httpbody.Read(http.MaxBytesReader(w, r.Body, MaxBody), min(r.ContentLength, MaxBody))
	if err != nil {
		return nil, badRequest("The request cannot be read: %v.", err)
	}
	in := new(sendEmail)
	if err := json.Unmarshal(body, in); err != nil {
		return nil, badRequest("The request is not in the form of SendEmail: %v.", err)
	}
	if in.Content.Raw == nil {
		return nil, badRequest("The local SES takes raw content only.")
	}
	return in, nil
}

func badRequest(format string, args ...any) *awserror.Error {
	return awserror.New(http.StatusBadRequest, "BadRequestException", fmt.Sprintf(format, args...))
}
