package unsubscribe

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/execution"
	"frontdesk/internal/base/table"
	"frontdesk/internal/base/webpage"
	"frontdesk/internal/service/mail/mailkey"
)

// maxForm is the greatest size of a form, in bytes. The real one has 26.
const maxForm = 4 << 10

// LinkFunction returns the endpoints GET and POST /unsubscribe/{token}. A GET changes nothing, because programs that
// scan mails open every link.
func (s Store) LinkFunction() api.Function {
	return api.Function{
		Handle:    s.handleLink,
		MaxBody:   maxForm,
		ErrorBody: func(r *api.Request, f api.Failure) any { return pageOf(f.Status).html(mails{}, languageFor(r)) },
		Header:    webpage.Header("", policy),
	}
}

// errNotGood is the same for every fault of a link, so that nobody learns which mail keys exist.
var errNotGood = api.Errorf(api.NotFound, "the address is not good")

// handleLink opens a link. A POST does what its form asks for; a GET only asks.
func (s Store) handleLink(ctx context.Context, r *api.Request) (api.Response, error) {
	token := r.PathParameters["token"]
	if token == Redirected {
		return respond(r, redirected, mails{}), nil
	}
	sub, sender, err := s.open(ctx, token)
	if err != nil {
		return api.Response{}, err
	}
	r.Log(slog.Int64("mail_key", int64(sub.MailKey)))
	shown, err := asking, error(nil)
	if r.RequestContext.HTTP.Method == http.MethodPost {
		shown, err = s.act(ctx, r, sub)
	}
	if err != nil {
		return api.Response{}, err
	}
	return respond(r, shown, mails{sub.List, sender}), nil
}

// respond answers with a page about some mails.
func respond(r *api.Request, shown page, of mails) api.Response {
	r.Log(slog.String("page", shown.name))
	return api.Response{Body: shown.html(of, languageFor(r)), Header: webpage.Header(r.Scheme(), policy)}
}

// open returns the subscription of a link, and the address as which its mail key sends; "" for a key that has none. It
// takes at most one read.
func (s Store) open(ctx context.Context, text string) (sub Subscription, sender string, err error) {
	t, ok := parseToken(text)
	if !ok {
		return Subscription{}, "", errNotGood
	}
	key, _, err := mailkey.Keys{Table: s.Table}.Find(ctx, t.mailKey)
	if err != nil {
		return Subscription{}, "", err
	}
	if key.Secret == nil {
		return Subscription{}, "", errNotGood
	}
	sealer, err := NewSealer(t.mailKey, key.Secret)
	if err != nil {
		return Subscription{}, "", err
	}
	sub, ok = sealer.open(t)
	if !ok {
		return Subscription{}, "", errNotGood
	}
	return sub, key.Sender.Address, nil
}

// These are the values of the form's field List-Unsubscribe. RFC 8058 section 3.1 defines the first; only our own page
// sends the second.
const (
	oneClick = "One-Click"
	undo     = "Undo"
)

// act does what a form asks for, and returns the page that confirms it.
func (s Store) act(ctx context.Context, r *api.Request, sub Subscription) (page, error) {
	asked, err := formValue(r, "List-Unsubscribe")
	if err != nil {
		return page{}, err
	}
	switch strings.TrimSpace(asked) { // some clients end the form with a line end
	case oneClick:
		return done, s.leave(ctx, sub)
	case undo:
		back, err := s.comeBack(ctx, sub)
		if !back {
			return kept, err
		}
		return undone, err
	}
	return page{}, api.Errorf(api.Malformed, "the form has no List-Unsubscribe=One-Click")
}

// formValue returns a field of a form, urlencoded or multipart (RFC 8058 allows both). It is "" if the body is no form
// or lacks the field.
func formValue(r *api.Request, name string) (string, error) {
	body, err := r.Bytes()
	if err != nil {
		return "", err
	}
	form := http.Request{
		Method: http.MethodPost,
		Header: http.Header{"Content-Type": {r.Headers["content-type"]}},
		Body:   io.NopCloser(bytes.NewReader(body)),
	}
	return form.PostFormValue(name), nil
}

// FromEnvironment opens the store of a function from TABLE_NAME.
func FromEnvironment(e execution.Environment) (Store, error) {
	t, err := table.FromEnvironment(e)
	return Store{Table: t}, err
}
