// Package mailkey keeps mail keys: who may send mail, as whom, and to how many recipients a day.
//
// Create, List, Revoke, SetDaily and Used of [Keys] are for operators: no endpoint calls them.
package mailkey

import (
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/base/address"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/invisible"
	"frontdesk/internal/service/mail/redirect"
)

// Key is a mail key: it says who may send, and as whom.
type Key struct {
	ID        id.ID
	Name      string       // chosen by the operator
	Sender    mail.Address // used for a mail that names none; may be the zero Address
	From      []string     // addresses and domains that it may send as; Any for every one
	Daily     int          // recipients a day (UTC) that it may send to; 0 for any number
	Redirect  redirect.Rule
	CreatedAt time.Time
	RevokedAt time.Time // zero while the key is valid
	// Secret seals the unsubscribe links. It has 32 random bytes, is made with the key, and stays when the key is
	// revoked: links in sent mails must go on working. A key from before such links has nil.
	Secret []byte
}

// Tag is the message tag with the key's id. Every mail has it, so that SES's events say which key sent the mail.
const Tag = "frontdesk-key"

// Any, in From, allows every address.
const Any = "*"

// Allows reports whether the key may send as an address. A domain allows exactly its own addresses, not those of
// subdomains. Case does not matter.
func (k Key) Allows(sender string) bool {
	sender = address.Fold(sender)
	domain := sender[strings.LastIndexByte(sender, '@')+1:]
	return slices.ContainsFunc(k.From, func(from string) bool {
		return from == Any || from == sender || from == domain
	})
}

// normalize checks what an operator asks for, and converts it to the form that Allows compares with. Without any From
// the key may send as the domain of its sender.
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
	if err := invisible.CheckName(k.Name); err != nil {
		return fmt.Errorf("name %w", err)
	}
	switch {
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

// normalizeFrom checks one entry of From: [Any], an address or a domain.
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
