package mailkey

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/mail"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/mail/redirect"
)

// Keys stores mail keys.
type Keys struct{ Table table.Table }

// keyItem is a stored mail key. It has a digest of the credential, not the credential.
type keyItem struct {
	table.Key
	ID        id.ID     `dynamo:"id"`
	Name      string    `dynamo:"name"`
	Digest    []byte    `dynamo:"digest"`
	Sender    string    `dynamo:"sender,omitempty"` // as net/mail writes it
	From      []string  `dynamo:"from"`
	Daily     int       `dynamo:"daily,omitempty"`
	Redirect  string    `dynamo:"redirect,omitempty"`
	Allow     []string  `dynamo:"redirect_allow,omitempty"`
	CreatedAt time.Time `dynamo:"created_at"`
	RevokedAt time.Time `dynamo:"revoked_at,omitempty"`
	Secret    []byte    `dynamo:"secret,omitempty"`
}

// redirect returns the key's redirect. If somebody damaged the stored address, it is an error, and the key sends
// nothing: without a redirect a test key would write to customers.
func (i keyItem) redirect() (redirect.Rule, error) {
	return redirect.Rule{To: i.Redirect, Allow: i.Allow}.Normal()
}

// key converts a stored key. Its errors do not quote what is stored, because they reach the log and it may be
// an address.
func (i keyItem) key() (k Key, err error) {
	k = Key{
		ID: i.ID, Name: i.Name, From: i.From, Daily: i.Daily, CreatedAt: i.CreatedAt, RevokedAt: i.RevokedAt,
		Secret: i.Secret,
	}
	k.Redirect, err = i.redirect()
	if err != nil {
		return Key{}, fmt.Errorf("the stored redirect of mail key %d cannot be read", i.ID)
	}
	if i.Sender != "" {
		sender, err := mail.ParseAddress(i.Sender)
		if err != nil {
			return Key{}, fmt.Errorf("the stored sender of mail key %d cannot be read", i.ID)
		}
		k.Sender = *sender
	}
	return k, nil
}

// secretSize is the length of an AES-256 key, in bytes.
const secretSize = 32

// Create stores a new key with the name, sender, addresses, quota and redirect of k. Text is the credential that
// clients send with every mail. Only its digest is stored, so it cannot be shown again.
func (s Keys) Create(ctx context.Context, k Key) (created Key, text string, err error) {
	if err := k.normalize(); err != nil {
		return Key{}, "", err
	}
	k.ID, k.CreatedAt, k.RevokedAt = id.New(), time.Now().UTC().Truncate(time.Second), time.Time{}
	text, digest := credential.Mint(credential.MailKey, k.ID)
	k.Secret = make([]byte, secretSize)
	rand.Read(k.Secret) // never fails: it ends the process rather than return an error
	item := keyItem{
		Key: table.MailKey(k.ID), ID: k.ID, Name: k.Name, Digest: digest[:],
		From: k.From, Daily: k.Daily, Redirect: k.Redirect.To, Allow: k.Redirect.Allow,
		CreatedAt: k.CreatedAt, Secret: k.Secret,
	}
	if k.Sender.Address != "" {
		item.Sender = k.Sender.String()
	}
	// If the random id is taken, the operator gets an error and tries again: no key is ever replaced.
	if err := s.Table.PutListed(ctx, item.Key, item, errors.New("its id is taken")); err != nil {
		return Key{}, "", fmt.Errorf("put mail key: %w", err)
	}
	return k, text, nil
}

// List reads all keys, oldest first, with the revoked ones. Operators use it.
func (s Keys) List(ctx context.Context) ([]Key, error) {
	items, err := table.ReadListed[keyItem](ctx, s.Table, table.MailKeys)
	if err != nil {
		return nil, fmt.Errorf("list mail keys: %w", err)
	}
	keys := make([]Key, 0, len(items))
	for _, item := range items {
		k, err := item.key()
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// secretItem is the part of a mail key's record that can be read even if the rest is damaged.
type secretItem struct {
	ID     id.ID  `dynamo:"id"`
	Secret []byte `dynamo:"secret,omitempty"`
	Sender any    `dynamo:"sender,omitempty"` // a string, unless it is damaged
}

// Find reads a key, even a revoked one: its id, its secret and its sender, if that can be read. It ignores the rest.
func (s Keys) Find(ctx context.Context, key id.ID) (k Key, found bool, err error) {
	items, err := s.Table.Read(ctx, table.MailKey(key))
	if err != nil {
		return Key{}, false, err
	}
	var item secretItem
	found, err = items.Get(table.MailKey(key), &item)
	k = Key{ID: item.ID, Secret: item.Secret}
	written, _ := item.Sender.(string)
	if sender, err := mail.ParseAddress(written); err == nil {
		k.Sender = *sender
	}
	return k, found, err
}

// Revoke ends a key for good. Revoking it again keeps the first time.
func (s Keys) Revoke(ctx context.Context, key id.ID) (Key, error) {
	return s.revoke(ctx, key, time.Now())
}

func (s Keys) revoke(ctx context.Context, key id.ID, at time.Time) (Key, error) {
	var item keyItem
	found, err := s.Table.Revoke(ctx, table.MailKey(key), at, &item)
	if err != nil {
		return Key{}, err
	}
	if !found {
		return Key{}, errNoKey(key)
	}
	return item.key()
}

// errNoKey is for an operator who names a key that does not exist.
func errNoKey(key id.ID) error { return fmt.Errorf("there is no mail key %d", key) }
