package mailkey

import (
	"context"
	"errors"
	"log/slog"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/table"
)

// These errors say where the mail key belongs: in the body of a mail, and in a header of all other requests.
var (
	errMissing = api.Errorf(api.Unauthorized, "key is missing; "+
		`give the mail key in the body, as in "key": "fdm_…": no header is looked at`)
	errInBody = api.Errorf(api.Unauthorized, "key is not a valid API key; "+
		"it takes a mail key (fdm_…): tokens (fda_…, fdp_…) send no mail")
	errInHeader = api.Errorf(api.Unauthorized, "api_access_token is missing or not a valid API key; "+
		"it takes a mail key (fdm_…) alone, without Bearer")
)

// Parse reads the mail key in the body of a mail. It checks the form alone; [Verify] checks that the key is genuine.
// Both return the same error, except for a text that is empty: that there is no key tells nobody anything.
func Parse(text string) (credential.Credential, error) {
	c, ok := credential.Parse(credential.MailKey, text)
	switch {
	case text == "":
		return credential.Credential{}, errMissing
	case !ok:
		return credential.Credential{}, errInBody
	}
	return c, nil
}

// Verify returns the key that a credential proves. Items must include the one at [table.MailKey], if it exists. An
// unknown key, a wrong secret and a revoked key give the same error, of kind [api.Unauthorized].
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

// Authenticate reads and verifies the mail key in a header. Every fault of it gives the same error, of
// kind [api.Unauthorized].
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

// Endpoint makes an endpoint whose requests carry a mail key in one of the headers for tokens. Answer gets the
// verified key.
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
