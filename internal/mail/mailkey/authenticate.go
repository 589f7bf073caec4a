package mailkey

import (
	"context"

	"frontdesk/internal/api"
	"frontdesk/internal/credential"
	"frontdesk/internal/table"
)

var errUnauthorized = api.Errorf(api.Unauthorized, "key is missing or not a valid API key; "+
	"it takes a mail key (fdm_…), in the body: tokens (fda_…, fdp_…) send no mail, and no header is looked at")

// Parse reads what a client sends as its mail key. Whether it is genuine, [Verify] tells. The error is the one of
// Verify.
func Parse(text string) (credential.Credential, error) {
	c, ok := credential.Parse(credential.MailKey, text)
	if !ok {
		return credential.Credential{}, errUnauthorized
	}
	return c, nil
}

// Verify finds the key that a credential proves, among items that were read: the one at [table.MailKey] is there, if it
// exists. Whatever is wrong with the credential or its key, the error is the same one, of kind [api.Unauthorized].
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

// Authenticate reads and verifies what a client sends as its mail key. The error is that of [Verify].
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
