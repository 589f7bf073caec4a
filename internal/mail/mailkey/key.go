// Package mailkey keeps mail keys: who may send mail, as whom, and to how many recipients a day.
package mailkey

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/address"
	"frontdesk/internal/api"
	"frontdesk/internal/credential"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// Key is a mail key: who may send, and as whom.
type Key struct {
	ID        id.ID
	Name      string       // the operator's word for it
	Sender    mail.Address // of a mail that names none; may be the zero Address
	From      []string     // addresses and domains that it may send as; Any for every one
	Daily     int          // recipients a day (UTC) that it may send to; 0 for any number
	CreatedAt time.Time
	RevokedAt time.Time // zero while the key is good
}

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

// normalize checks what an operator asks for and brings it into the form that Allows compares with. A key
// that is given no addresses may send as the domain of its sender.
func (k *Key) normalize() error {
	sender := ""
	if k.Sender.Address != "" {
		var err error
		if sender, err = address.Parse(k.Sender.Address); err != nil {
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
	normal, err := address.Parse(from)
	if err != nil {
		return "", fmt.Errorf("from %w", err)
	}
	return strings.ToLower(normal), nil
}

// Keys stores mail keys.
type Keys struct{ Table table.Table }

// keyItem is a key's record in the table.
type keyItem struct {
	table.Key
	ID        id.ID     `dynamo:"id"`
	Name      string    `dynamo:"name"`
	Digest    []byte    `dynamo:"digest"`
	Sender    string    `dynamo:"sender,omitempty"` // as net/mail writes it
	From      []string  `dynamo:"from"`
	Daily     int       `dynamo:"daily,omitempty"`
	CreatedAt time.Time `dynamo:"created_at"`
	RevokedAt time.Time `dynamo:"revoked_at,omitempty"`
}

func (i keyItem) key() (Key, error) {
	k := Key{ID: i.ID, Name: i.Name, From: i.From, Daily: i.Daily, CreatedAt: i.CreatedAt, RevokedAt: i.RevokedAt}
	if i.Sender != "" {
		sender, err := mail.ParseAddress(i.Sender)
		if err != nil {
			return Key{}, fmt.Errorf("the stored sender of mail key %d cannot be read", i.ID)
		}
		k.Sender = *sender
	}
	return k, nil
}

var errUnauthorized = api.Errorf(api.Unauthorized, "key is missing or not a valid API key")

// Parse reads what a client sends as its mail key. The error is that of Verify.
func Parse(text string) (credential.Credential, error) {
	c, ok := credential.Parse(credential.MailKey, text)
	if !ok {
		return credential.Credential{}, errUnauthorized
	}
	return c, nil
}

// Verify finds the good key that a credential is of, among items of which one was read from [table.MailKey].
// Whatever is wrong with the credential, the error is the same one, of code [api.Unauthorized].
func Verify(c credential.Credential, items table.Items) (Key, error) {
	var item keyItem
	found, err := items.Get(table.MailKey(c.ID), &item)
	if err != nil {
		return Key{}, err
	}
	if !found || !c.Matches(item.Digest) || !item.RevokedAt.IsZero() {
		return Key{}, errUnauthorized
	}
	return item.key()
}

// Authenticate finds the good key that a text is. Whatever is wrong with the text, the error is the same one,
// of code [api.Unauthorized].
func (s Keys) Authenticate(ctx context.Context, text string) (Key, error) {
	c, err := Parse(text)
	if err != nil {
		return Key{}, err
	}
	items, err := s.Table.Read(ctx, table.MailKey(c.ID))
	if err != nil {
		return Key{}, err
	}
	return Verify(c, items)
}

// Create stores a new key of that name, sender and addresses. The text is what its user sends with every
// mail; it cannot be shown again.
func (s Keys) Create(ctx context.Context, k Key) (created Key, text string, err error) {
	if err := k.normalize(); err != nil {
		return Key{}, "", err
	}
	k.ID, k.CreatedAt, k.RevokedAt = id.New(), time.Now().UTC().Truncate(time.Second), time.Time{}
	text, digest := credential.Mint(credential.MailKey, k.ID)
	item := keyItem{
		Key: table.MailKey(k.ID), ID: k.ID, Name: k.Name, Digest: digest[:], From: k.From, Daily: k.Daily, CreatedAt: k.CreatedAt,
	}
	if k.Sender.Address != "" {
		item.Sender = k.Sender.String()
	}
	// A taken id fails rather than replaces a key; the operator calls again.
	if err := s.Table.Put(item).If("attribute_not_exists(PK)").Run(ctx); err != nil {
		return Key{}, "", fmt.Errorf("put mail key: %w", err)
	}
	return k, text, nil
}

// List reads every key, revoked ones too, oldest first. It scans the whole table: an operator's tool, not a
// request's.
func (s Keys) List(ctx context.Context) ([]Key, error) {
	var items []keyItem
	if err := s.Table.Scan().Filter("begins_with(PK, ?)", table.MailKeys).Consistent(true).All(ctx, &items); err != nil {
		return nil, fmt.Errorf("scan mail keys: %w", err)
	}
	keys := make([]Key, 0, len(items))
	for _, item := range items {
		k, err := item.key()
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b Key) int { return int(a.ID - b.ID) })
	return keys, nil
}

// Revoke ends a key for good. Revoking it again changes nothing.
func (s Keys) Revoke(ctx context.Context, key id.ID) (Key, error) {
	var item keyItem
	found, err := s.Table.Revoke(ctx, table.MailKey(key), &item)
	if err != nil {
		return Key{}, err
	}
	if !found {
		return Key{}, errNoKey(key)
	}
	return item.key()
}

func errNoKey(key id.ID) error { return fmt.Errorf("there is no mail key %d", key) }
