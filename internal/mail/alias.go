package mail

import "frontdesk/internal/mail/mailkey"

type (
	Key       = mailkey.Key
	Keys      = mailkey.Keys
	Recipient = mailkey.Recipient
)

var ParseRecipient = mailkey.ParseRecipient
