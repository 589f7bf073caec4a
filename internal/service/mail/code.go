package mail

import "frontdesk/internal/base/api"

// Codes by which a program distinguishes the errors of mails that are not sent because of what they are, besides the
// kinds of errors of every endpoint. Package delivery has those of mails that were to be sent.
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
)
