package mail

import (
	"errors"
	"fmt"
	"net/mail"

	"frontdesk/internal/base/execution"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/mail/delivery"
	"frontdesk/internal/service/mail/fetch"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/mail/redirect"
)

// Service holds what the endpoint needs.
type Service struct {
	Delivery   delivery.Service
	Downloader *fetch.Downloader
	// DefaultSender is used where neither the mail nor its key names a sender, if the key may send as it. The zero
	// Address is none.
	DefaultSender mail.Address
	// PublicURL is the address by which clients know the API, for unsubscribe links, without a slash at its end; "" for
	// the one that AWS gave it.
	PublicURL string
	// Redirect is the redirect of the whole stack. It replaces a mail key's own; the zero Rule is none.
	Redirect redirect.Rule
	// Stack is the name of the CloudFormation stack. Every mail has it as a tag.
	Stack string
}

// FromEnvironment builds the service from the function's environment:
//
//	TABLE_NAME
//	STACK_NAME
//	DEFAULT_SENDER           "a@b" or "Name <a@b>"; may be empty
//	REDIRECT_MAIL_TO         an address; may be empty
//	SES_CONFIGURATION_SET    may be empty
//	PUBLIC_URL               may be empty
//	ALLOW_PRIVATE_DOWNLOADS  "true" lets downloads reach private addresses
//
// A bad value is an error, and the function does not start: a mail must not go to customers because a redirect
// is misspelt.
func FromEnvironment(e execution.Environment) (*Service, error) {
	t, err := table.FromEnvironment(e)
	if err != nil {
		return nil, err
	}
	downloader, err := fetch.NewDownloader(e.Dial, e.Getenv("ALLOW_PRIVATE_DOWNLOADS") == "true")
	if err != nil {
		return nil, fmt.Errorf("ALLOW_PRIVATE_DOWNLOADS: %w", err)
	}
	s := &Service{
		Delivery:   delivery.Service{Table: t, SES: delivery.NewSES(e, e.Getenv("SES_CONFIGURATION_SET"))},
		Downloader: downloader,
		PublicURL:  e.Getenv("PUBLIC_URL"),
		Stack:      e.Getenv("STACK_NAME"),
	}
	s.Redirect, err = redirect.Rule{To: e.Getenv("REDIRECT_MAIL_TO")}.Normal()
	if err != nil {
		// Without a valid redirect nothing may be sent. The log must not repeat the address.
		return nil, errors.New("REDIRECT_MAIL_TO is not an address such as a@b")
	}
	if s.Stack == "" {
		return nil, errors.New("STACK_NAME is not set")
	}
	sender := e.Getenv("DEFAULT_SENDER")
	if sender == "" {
		return s, nil
	}
	s.DefaultSender, err = mailkey.ParseSender(sender)
	if err != nil {
		// The log must not repeat the value: it may be an address.
		return nil, errors.New("DEFAULT_SENDER is not a sender such as a@b or Name <a@b>")
	}
	return s, nil
}
