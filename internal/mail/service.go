package mail

import (
	"errors"
	"net/mail"
	"os"
	"slices"

	"frontdesk/internal/mail/delivery"
	"frontdesk/internal/mail/fetch"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/mail/maillog"
	"frontdesk/internal/mail/redirect"
	"frontdesk/internal/mail/unsubscribe"
	"frontdesk/internal/table"
)

// Service is what the endpoint works with.
type Service struct {
	Attempts   delivery.Attempts
	Downloader *fetch.Downloader
	// DefaultSender is the sender of a mail that names none, by a mail key that has none and may send as it. It may be
	// the zero Address.
	DefaultSender mail.Address
	// Domain is the API's own domain; "" for none.
	Domain string
	// Log is what became of mails; nil where the operator keeps none.
	Log *maillog.Service
	// Redirect is the stack's rule for where mails go. It counts in place of a mail key's own; the zero Rule is none.
	Redirect redirect.Rule
	// Stack is the name of the CloudFormation stack, which mails have as a tag.
	Stack string
}

// FromEnvironment builds the service of a function from TABLE_NAME, STACK_NAME, DEFAULT_SENDER ("a@b" or "Name <a@b>",
// may be empty), REDIRECT_MAIL_TO (an address, may be empty), SES_CONFIGURATION_SET (may be empty), DOMAIN_NAME (may be
// empty), MAIL_LOG_DAYS (0 for no log) and ALLOW_PRIVATE_DOWNLOADS ("true" lets downloads reach private addresses).
func FromEnvironment() (*Service, error) {
	t, err := table.FromEnvironment()
	if err != nil {
		return nil, err
	}
	s := &Service{
		Attempts:   delivery.Attempts{Table: t, SES: delivery.NewSES(os.Getenv("SES_CONFIGURATION_SET"))},
		Downloader: fetch.NewDownloader(os.Getenv("ALLOW_PRIVATE_DOWNLOADS") == "true"),
		Domain:     os.Getenv("DOMAIN_NAME"),
		Stack:      os.Getenv("STACK_NAME"),
	}
	if days := os.Getenv("MAIL_LOG_DAYS"); days != "0" {
		s.Log, err = maillog.In(t)
		if err != nil {
			return nil, err
		}
	}
	s.Redirect, err = redirect.Rule{To: os.Getenv("REDIRECT_MAIL_TO")}.Normal()
	if err != nil {
		// Nothing is sent then. The log does not repeat the address.
		return nil, errors.New("REDIRECT_MAIL_TO is not an address such as a@b")
	}
	if s.Stack == "" {
		return nil, errors.New("STACK_NAME is not set")
	}
	sender := os.Getenv("DEFAULT_SENDER")
	if sender == "" {
		return s, nil
	}
	s.DefaultSender, err = mailkey.ParseSender(sender)
	if err != nil {
		// The log does not repeat what it is: that may be an address.
		return nil, errors.New("DEFAULT_SENDER is not a sender such as a@b or Name <a@b>")
	}
	return s, nil
}

// Rules are what holds of the records of mail keys and of what they are used for.
var Rules = slices.Concat(mailkey.Rules, delivery.Rules, unsubscribe.Rules)
