package mailkey

import (
	"context"
	"errors"
	"log/slog"

	"frontdesk/internal/api"
	"frontdesk/internal/credential"
	"frontdesk/internal/table"
)

// What a client is told whose mail key is missing or bad says where the key goes: into the body of a mail, and into a
// header of all other requests.
var (
	errInBody = api.Errorf(api.Unauthorized, "key is missing or not a valid API key; "+
		"it takes a mail key (fdm_…), in the body: tokens (fda_…, fdp_…) send no mail, and no header is looked at")
	errInHeader = api.Errorf(api.Unauthorized, "api_access_token is missing or not a valid API key; "+
		"it takes a mail key (fdm_…) alone, without Bearer")
)

// Parse reads the mail key in the body of a mail. Whether it is genuine, [Verify] tells. The error is the one
// of Verify.
func Parse(text string) (credential.Credential, error) {
	c, ok := credential.Parse(credential.MailKey, text)
	if !ok {
		return credential.Credential{}, errInBody
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
		return Key{}, errInBody
	}
	return item.key()
}

// Authenticate reads and verifies the mail key in a header for tokens. Whatever is wrong with it, the error is the same
// one, of kind [api.Unauthorized].
func (s Keys) Authenticate(ctx context.Context, text string) (Key, error) {
	c, ok := credential.Parse(credential.MailKey, text)
	if !ok {
		return Key{}, errInHeader
	}
	items, err := s.Table.Read(ctx, table.MailKey(c.ID))
	if err != nil {
		return Key{}, err
	}
	key, err := Verify(c, items)
	if errors.Is(err, errInBody) {
		return Key{}, errInHeader
	}
	return key, err
}

// Endpoint is an endpoint for mail keys, which a request has in one of the headers for tokens. Answer gets the key.
func Endpoint[Input any](
	s Keys, decode func(*api.Request) (Input, error),
	answer func(context.Context, *api.Request, Key, Input) (api.Response, error),
) api.Handler {
	return api.Endpoint[Input, Key]{
		Decode: decode,
		Authenticate: func(ctx context.Context, r *api.Request, _ Input) (Key, error) {
			key, err := s.Authenticate(ctx, r.Token())
			if err != nil {
				return Key{}, err
			}
			r.Log(slog.Int64("mail_key", int64(key.ID)))
			return key, nil
		},
		Answer: answer,
	}.Handle
}
