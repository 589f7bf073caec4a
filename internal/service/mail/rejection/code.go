package rejection

import "frontdesk/internal/base/api"

// Codes by which a program distinguishes the errors of mails, besides the kinds of errors of every endpoint.
const (
	Invalid  = api.Code(api.Invalid)  // a field breaks a rule
	TooLarge = api.Code(api.TooLarge) // the request, the message or its downloads are too large

	// InvalidRecipient is for a mail whose only faults are addresses of recipients: without these it could be sent.
	InvalidRecipient api.Code = "invalid_recipient"
	// SenderNotAllowed is for a sender that the mail key does not allow.
	SenderNotAllowed api.Code = "sender_not_allowed"
	// EmptyBody is for a mail without anything to read, after all downloads and replacements.
	EmptyBody api.Code = "empty_body"
	// DownloadFailed is for a text or a file that could not be downloaded.
	DownloadFailed api.Code = "download_failed"
	// SESRejected is for a mail that SES refused. SES would refuse it again, until the mail or the account changes.
	SESRejected api.Code = "ses_rejected"
	// SESUnavailable is for a mail that was not sent, because SES did not accept it for the moment or there was no
	// time left to ask. It may be sent later.
	SESUnavailable api.Code = "ses_unavailable"
	// PartlySent is for a mail that certainly was not sent to some recipients, and was or may have been sent to others.
	PartlySent api.Code = "partly_sent"
	// UnknownOutcome is for a mail that may have reached all of its recipients, but perhaps has not.
	UnknownOutcome api.Code = "unknown_outcome"
	// Unsubscribed is for a mail whose recipients have all unsubscribed.
	Unsubscribed api.Code = "unsubscribed"
	// IdempotencyKeyReused is for an Idempotency-Key that was used for another mail.
	IdempotencyKeyReused api.Code = "idempotency_key_reused"
)
