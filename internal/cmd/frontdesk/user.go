package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
)

type userGroup struct {
	Show         userShow         `cmd:"" help:"Show the user of an e-mail address."`
	Token        userToken        `cmd:"" help:"Create an agent token: a user who is signed in. It is shown once."`
	RevokeTokens userRevokeTokens `cmd:"" help:"End all of a user's agent tokens and login links."`
}

type userShow struct {
	Email string `required:"" help:"The e-mail address, in any spelling."`
}

func (c userShow) Run(ctx context.Context, t table.Table, out output) error {
	u, err := (&user.Service{Table: t}).Find(ctx, c.Email)
	if err != nil {
		return err
	}
	return out.print(u, func(w io.Writer) {
		fmt.Fprintf(w, "id       %d\nname     %s\nemail    %s\ncreated  %s\nupdated  %s\n",
			u.ID, u.Name, u.Email, u.CreatedAt.Format(time.RFC3339), u.UpdatedAt.Format(time.RFC3339))
	})
}

// userFlag is the user that a command is about.
type userFlag struct {
	User string `required:"" placeholder:"ID" help:"The user's id, as user show tells it."`
}

func (f userFlag) id() (id.ID, error) {
	u, ok := id.Parse(f.User)
	if !ok {
		return 0, fmt.Errorf("%q is not an id; frontdesk user show tells it", f.User)
	}
	return u, nil
}

type userToken struct {
	userFlag
	TTL time.Duration `name:"ttl" default:"720h" help:"How long the token is good."`
}

func (c userToken) Run(ctx context.Context, t table.Table, out output) error {
	u, err := c.id()
	if err != nil {
		return err
	}
	text, expires, err := user.Tokens{Table: t}.Create(ctx, u, c.TTL)
	if err != nil {
		return err
	}
	result := struct {
		User      id.ID     `json:"user"`
		Token     string    `json:"token"`
		ExpiresAt time.Time `json:"expires_at"`
	}{u, text, expires}
	return out.print(result, func(w io.Writer) {
		fmt.Fprintf(w, "token    %s\nexpires  %s\n\n", text, expires.Format(time.RFC3339))
		fmt.Fprintln(w, "The token is shown this once: keep it where secrets are kept.")
	})
}

type userRevokeTokens struct{ userFlag }

func (c userRevokeTokens) Run(ctx context.Context, t table.Table, out output) error {
	u, err := c.id()
	if err != nil {
		return err
	}
	n, err := user.Tokens{Table: t}.Revoke(ctx, u)
	if err != nil {
		return err
	}
	result := struct {
		User    id.ID `json:"user"`
		Revoked int   `json:"revoked"`
	}{u, n}
	return out.print(result, func(w io.Writer) {
		fmt.Fprintf(w, "revoked %d tokens of user %d, and its login links\n", n, u)
	})
}
