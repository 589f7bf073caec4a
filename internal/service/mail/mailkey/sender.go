package mailkey

import (
	"fmt"
	"net/mail"

	"frontdesk/internal/base/address"
	"frontdesk/internal/service/mail/compose"
)

// ParseSender reads a sender as operators write it: "a@b" or "Name <a@b>".
func ParseSender(s string) (mail.Address, error) {
	sender, err := mail.ParseAddress(s)
	if err != nil {
		return mail.Address{}, fmt.Errorf("%q is not an address, nor of the form Name <address>", s)
	}
	if _, err := address.Parse(sender.Address); err != nil {
		return mail.Address{}, err
	}
	return *sender, compose.CheckValue(sender.Name)
}
