package operator

import (
	"context"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/mail/redirect"
)

// mailKeyGroup has the commands of frontdesk mail-key. Callers of POST /sender.php authenticate with a key, and the
// key's rules say what they may send.
type mailKeyGroup struct {
	Create mailKeyCreate `cmd:"" help:"Create a key. It is shown once." example:"frontdesk --stack frontdesk mail-key create --name shop --sender 'Shop <shop@example.com>'"`
	List   mailKeyList   `cmd:"" help:"List the keys, revoked ones too." example:"frontdesk --stack frontdesk mail-key list"`
	Quota  mailKeyQuota  `cmd:"" help:"Show how much of its daily quota of recipients a key has used, or change the quota." example:"frontdesk --stack frontdesk mail-key quota 122817834361826 --daily 5000"`
	Revoke mailKeyRevoke `cmd:"" help:"End a key for good." example:"frontdesk --stack frontdesk mail-key revoke 122817834361826"`
}

// mailKeyCreate is frontdesk mail-key create. Daily is 0 for no quota. A comma separates no values here (sep:"none"):
// whoever wants several addresses repeats the flag.
type mailKeyCreate struct {
	Name   string   `required:"" help:"What the key is for."`
	Sender string   `placeholder:"'NAME <A@B>'" help:"Sender of mails that name none. Default: DefaultSender, if --from allows it."`
	From   []string `placeholder:"ADDRESS-OR-DOMAIN" sep:"none" help:"Address or domain that the key may send as; may be repeated; * is any. Default: the domain of --sender."`
	Daily  int      `placeholder:"N" help:"Recipients a day (UTC) that the key may send to. Default: any number."`

	Redirect      *string  `placeholder:"ADDRESS" help:"For tests: all its mails go to this address instead of their recipients. The stack's RedirectMailTo overrides it."` // nil without the flag
	RedirectAllow []string `placeholder:"DOMAIN" sep:"none" help:"Domain whose addresses still get their mails; may be repeated. Its subdomains are not included."`
}

// Run prints the whole key, which the table does not hold. An empty --redirect is refused: a script with an unset
// variable would otherwise make a key that writes to everybody.
func (c mailKeyCreate) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	key := mailkey.Key{Name: c.Name, From: c.From, Daily: c.Daily, Redirect: redirect.Rule{Allow: c.RedirectAllow}}
	if c.Redirect != nil {
		key.Redirect.To = *c.Redirect
		if key.Redirect.To == "" {
			return commandline.Usage("--redirect has no address: a key without it writes to everybody")
		}
	}
	if c.Sender != "" {
		sender, err := mailkey.ParseSender(c.Sender)
		if err != nil {
			return fmt.Errorf("--sender: %w", err)
		}
		key.Sender = sender
	}
	// The store checks addresses and domains by the rules of the API.
	key, text, err := mailkey.Keys{Table: t}.Create(ctx, key)
	if err != nil {
		return err
	}
	result := struct {
		mailKeyView
		Key string `json:"key" show:"key,once"`
	}{newMailKeyView(key), text}
	return out.Show(result)
}

// mailKeyList is frontdesk mail-key list. It never shows a key's text: the table holds only a digest of it.
type mailKeyList struct{}

// Run shows the oldest key first, and "-" where a key has no quota, no redirect or no end. A revoked key stays in the
// list, so an operator can still tell which key an old log line means.
func (mailKeyList) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	keys, err := mailkey.Keys{Table: t}.List(ctx)
	if err != nil {
		return err
	}
	return out.Show(views(keys, newMailKeyView))
}

// mailKeyQuota is frontdesk mail-key quota. The quota counts recipients, so a mail to three people counts as three.
type mailKeyQuota struct {
	idArg
	Daily *int `placeholder:"N" help:"Change it: recipients a day (UTC), 0 for any number."` // nil to change nothing
}

// Run changes the quota if --daily is given, and prints how much of it is used. The count of today stays when the
// quota changes.
func (c mailKeyQuota) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	keys := mailkey.Keys{Table: t}
	if c.Daily != nil {
		if err := keys.SetDaily(ctx, c.id, *c.Daily); err != nil {
			return err
		}
	}
	key, used, err := keys.Used(ctx, c.id, time.Now())
	if err != nil {
		return err
	}
	result := struct {
		ID    id.ID `json:"id"`
		Daily int   `json:"daily"` // 0 for no quota
		Used  int   `json:"used_today"`
	}{key.ID, key.Daily, used}
	if key.Daily == 0 {
		return out.Report(result, "mail key %d (%s) has no quota", key.ID, key.Name)
	}
	return out.Report(result, "mail key %d (%s) has used %d of %d recipients today (UTC)",
		key.ID, key.Name, used, key.Daily)
}

// mailKeyRevoke is frontdesk mail-key revoke. Nothing undoes it: who needs a key again creates another one.
type mailKeyRevoke struct {
	idArg
	commandline.Asking
}

// Run ends the key for good. Its record stays, so that the list still shows it. Revoking it twice changes nothing,
// and prints the same.
func (c mailKeyRevoke) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	if err := c.Confirm(ctx, out, "end mail key %d for good?", c.id); err != nil {
		return err
	}
	key, err := mailkey.Keys{Table: t}.Revoke(ctx, c.id)
	if err != nil {
		return err
	}
	return out.Report(newMailKeyView(key), "revoked mail key %d (%s)", key.ID, key.Name)
}

// mailKeyView is a mail key as the tool prints it, without its secret.
type mailKeyView struct {
	ID         id.ID      `json:"id" show:"id"`
	Name       string     `json:"name" show:"name,column"`
	Sender     string     `json:"sender" show:"sender,column"`
	From       []string   `json:"from" show:"from,column"`
	Daily      int        `json:"daily" show:"daily,column"` // 0 for no quota
	Redirected string     `json:"-" show:"redirect"`         // both of Redirect and RedirectAllow, in words
	CreatedAt  time.Time  `json:"created_at" show:"created,column,day"`
	RevokedAt  *time.Time `json:"revoked_at" show:"revoked,column,day"`

	Redirect      string   `json:"redirect,omitempty"` // where its mails go
	RedirectAllow []string `json:"redirect_allow,omitempty"`
}

// newMailKeyView leaves the sender empty if the key has none of its own: its mails then come from the
// stack's DefaultSender.
func newMailKeyView(k mailkey.Key) mailKeyView {
	view := mailKeyView{
		ID: k.ID, Name: k.Name, From: k.From, Daily: k.Daily, CreatedAt: k.CreatedAt, RevokedAt: orNull(k.RevokedAt),
		Redirect: k.Redirect.To, RedirectAllow: k.Redirect.Allow,
	}
	if k.Sender.Address != "" {
		view.Sender = k.Sender.String()
	}
	view.Redirected = view.Redirect
	if len(view.RedirectAllow) > 0 {
		view.Redirected += ", but not for " + strings.Join(view.RedirectAllow, " ")
	}
	return view
}
