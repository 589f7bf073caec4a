package unsubscribe

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/table"
	"frontdesk/internal/webpage"
)

// maxForm is the size of a form in bytes.
const maxForm = 4 << 10

// LinkFunction is the endpoints GET and POST /unsubscribe/{token}. A GET changes nothing, because programs that scan
// mails open every link.
func (s Store) LinkFunction() api.Function {
	return api.Function{
		Handle:    s.handleLink,
		MaxBody:   maxForm,
		ErrorBody: func(f api.Failure) any { return pageOf(f.Status) },
		Header:    webpage.Header("", policy),
	}
}

// errNotGood is the same for whatever is wrong with an address.
var errNotGood = api.Errorf(api.NotFound, "the address is not good")

// handleLink opens an address, and does what its form asks for: nothing without one.
func (s Store) handleLink(ctx context.Context, r *api.Request) (api.Response, error) {
	token := r.PathParameters["token"]
	if token == Redirected {
		return respond(r, redirected, ""), nil
	}
	of, err := s.open(ctx, token)
	if err != nil {
		return api.Response{}, err
	}
	r.Log(slog.Int64("mail_key", int64(of.MailKey)))
	shown, err := asking, error(nil)
	if r.RequestContext.HTTP.Method == http.MethodPost {
		shown, err = s.act(ctx, r, of)
	}
	if err != nil {
		return api.Response{}, err
	}
	return respond(r, shown, of.List), nil
}

// respond shows a page about a list.
func respond(r *api.Request, shown page, list string) api.Response {
	r.Log(slog.String("page", shown.name))
	return api.Response{Body: shown.html(list), Header: webpage.Header(r.Scheme(), policy)}
}

// open is the subscription that an address stands for: at most one read, and a second one for a mail key that forgot
// anybody.
func (s Store) open(ctx context.Context, text string) (Subscription, error) {
	t, ok := parseToken(text)
	if !ok {
		return Subscription{}, errNotGood
	}
	keys := mailkey.Keys{Table: s.Table}
	key, _, err := keys.Find(ctx, t.mailKey)
	if err != nil {
		return Subscription{}, err
	}
	if key.Secret == nil {
		return Subscription{}, errNotGood
	}
	sealer, err := NewSealer(t.mailKey, key.Secret)
	if err != nil {
		return Subscription{}, err
	}
	of, ok := sealer.open(t)
	if !ok {
		return Subscription{}, errNotGood
	}
	forgotten, err := keys.FindForgotten(ctx, key, of.Recipient)
	if len(forgotten) > 0 {
		of = of.forgotten(key)
	}
	return of, err
}

// What the field List-Unsubscribe of a form says: the first by RFC 8058 section 3.1, the second on our page alone.
const (
	oneClick = "One-Click"
	undo     = "Undo"
)

// act does what a form asks for, and gives the page that says so.
func (s Store) act(ctx context.Context, r *api.Request, of Subscription) (page, error) {
	asked, err := formValue(r, "List-Unsubscribe")
	if err != nil {
		return page{}, err
	}
	switch strings.TrimSpace(asked) { // a client may end the form with a line end
	case oneClick:
		return done, s.leave(ctx, of)
	case undo:
		back, err := s.comeBack(ctx, of)
		if !back {
			return kept, err
		}
		return undone, err
	}
	return page{}, api.Errorf(api.Malformed, "the form has no List-Unsubscribe=One-Click")
}

// formValue is a field of a form, urlencoded or multipart; "" where the body is no form, or has no such field.
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
func FromEnvironment() (Store, error) {
	t, err := table.FromEnvironment()
	return Store{Table: t}, err
}
