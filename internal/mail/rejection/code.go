package rejection

import "frontdesk/internal/api"

// What a program tells errors of mails apart by, beside the kinds of errors of every endpoint.
const (
	Invalid  = api.Code(api.Invalid)  // a field is against a rule
	TooLarge = api.Code(api.TooLarge) // the request, the message, or what it downloads

	// InvalidRecipient is for a mail that is wrong in addresses of its recipients alone: without those it may be sent.
	InvalidRecipient api.Code = "invalid_recipient"
	// SenderNotAllowed is for a sender that the mail key may not send as.
	SenderNotAllowed api.Code = "sender_not_allowed"
	// EmptyBody is for a mail that has nothing to read once everything is fetched and replaced.
	EmptyBody api.Code = "empty_body"
	// DownloadFailed is for a text or a file that could not be fetched.
	DownloadFailed api.Code = "download_failed"
	// SESRejected is for a mail that SES refused, as it would again, until the mail or the account is another.
	SESRejected api.Code = "ses_rejected"
	// SESUnavailable is for a mail that SES was not asked for in time, or took not for the moment: it was not sent, and
	// may be sent later.
	SESUnavailable api.Code = "ses_unavailable"
	// PartlySent is for a mail that certainly was not sent to some recipients, and to others was, or may have been.
	PartlySent api.Code = "partly_sent"
	// UnknownOutcome is for a mail that may have been sent to all of its recipients, and perhaps was not.
	UnknownOutcome api.Code = "unknown_outcome"
	// Unsubscribed is for a mail of whose recipients none is left: each has unsubscribed.
	Unsubscribed api.Code = "unsubscribed"
	// IdempotencyKeyReused is for an Idempotency-Key that another mail has.
	IdempotencyKeyReused api.Code = "idempotency_key_reused"
)
