// Package mailkey keeps mail keys: who may send mail, as whom, and to how many recipients a day.
package mailkey

import (
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/address"
	"frontdesk/internal/id"
	"frontdesk/internal/mail/redirect"
)

// Key is a mail key: who may send, and as whom.
type Key struct {
	ID        id.ID
	Name      string       // the operator's word for it
	Sender    mail.Address // of a mail that names none; may be the zero Address
	From      []string     // addresses and domains that it may send as; Any for every one
	Daily     int          // recipients a day (UTC) that it may send to; 0 for any number
	Redirect  redirect.Rule
	CreatedAt time.Time
	RevokedAt time.Time // zero while the key is valid
	// Secret is what the addresses are sealed with by which recipients unsubscribe: 32 random bytes, made with the key
	// and kept when it is revoked; nil of a key that is older than such addresses.
	Secret []byte
	// Forgets says that people were forgotten for the key: then there may be records of it.
	Forgets bool
}

// Tag is the message tag that has the key's id in every mail, so that SES's events tell whose the mail is.
const Tag = "frontdesk-key"

// Any, among the addresses that a key may send as, stands for every address.
const Any = "*"

// Allows reports whether the key may send as an address, which is compared without regard to case.
func (k Key) Allows(address string) bool {
	address = strings.ToLower(address)
	domain := address[strings.LastIndexByte(address, '@')+1:]
	return slices.ContainsFunc(k.From, func(from string) bool {
		return from == Any || from == address || from == domain
	})
}

// normalize checks what an operator asks for, and brings it into the form that Allows compares with. A key that is
// given no addresses may send as the domain of its sender.
func (k *Key) normalize() error {
	sender := ""
	if k.Sender.Address != "" {
		var err error
		sender, err = address.Parse(k.Sender.Address)
		if err != nil {
			return fmt.Errorf("sender %w", err)
		}
		if len(k.From) == 0 {
			k.From = []string{sender[strings.LastIndexByte(sender, '@')+1:]}
		}
	}
	for i, from := range k.From {
		normal, err := normalizeFrom(from)
		if err != nil {
			return err
		}
		k.From[i] = normal
	}
	switch {
	case strings.TrimSpace(k.Name) == "":
		return errors.New("name must not be blank")
	case len(k.From) == 0:
		return errors.New("a mail key needs a sender, or addresses or domains that it may send as")
	case sender != "" && !k.Allows(sender):
		return fmt.Errorf("the sender %s is not among the addresses and domains that the key may send as", sender)
	}
	var err error
	k.Redirect, err = k.Redirect.Normal()
	if err != nil {
		return fmt.Errorf("redirect %w", err)
	}
	return checkDaily(k.Daily)
}

func normalizeFrom(from string) (string, error) {
	if from == Any {
		return Any, nil
	}
	if !strings.Contains(from, "@") {
		domain, err := address.Domain(from)
		if err != nil {
			return "", fmt.Errorf("%q is neither an address nor a domain", from)
		}
		return domain, nil
	}
	normal, err := address.Normal(from)
	if err != nil {
		return "", fmt.Errorf("from %w", err)
	}
	return normal, nil
}
