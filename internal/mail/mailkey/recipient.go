package mailkey

import (
	"fmt"
	"net/mail"

	"frontdesk/internal/address"
	"frontdesk/internal/mail/compose"
)

// Recipient is a person: somebody a mail goes to, or its sender.
type Recipient struct {
	Email string
	Name  string // display name, may be empty
}

// ParseRecipient reads a recipient from "a@b" or "Name <a@b>", as an operator writes it.
func ParseRecipient(s string) (Recipient, error) {
	parsed, err := mail.ParseAddress(s)
	if err != nil {
		return Recipient{}, fmt.Errorf("%q is not an address, nor of the form Name <address>", s)
	}
	r := Recipient{Email: parsed.Address, Name: parsed.Name}
	if _, err := r.address(); err != nil {
		return Recipient{}, err
	}
	return r, compose.CheckValue(r.Name)
}

// address is the recipient's address as it stands in the envelope and in headers.
func (r Recipient) address() (string, error) { return address.Parse(r.Email) }
