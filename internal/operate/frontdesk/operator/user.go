package operator

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/platformapp"
)

// userGroup has the commands of frontdesk user. They manage a user for all platform apps at once, where an app
// manages only the users to which it is linked.
type userGroup struct {
	Create       userCreate       `cmd:"" help:"Create a user of a platform app, with a password from standard input. frontdesk portal add-member makes the user an agent." example:"frontdesk --local user create --app 122817834361827 --name Ada --email ada@example.org --generate"`
	List         userList         `cmd:"" help:"List the users. Reads the whole table." example:"frontdesk --stack frontdesk user list"`
	Show         userShow         `cmd:"" help:"Show a user, by the id or the e-mail address." example:"frontdesk --stack frontdesk user show 122817834548980\nfrontdesk --stack frontdesk user show --email ada@example.org"`
	SetEmail     userSetEmail     `cmd:"" help:"Give a user another e-mail address." example:"frontdesk --stack frontdesk user set-email 122817834548980 --email ada@example.net"`
	SetPassword  userSetPassword  `cmd:"" help:"Give a user another password, from standard input; at a terminal the tool asks for it. This ends the user's agent tokens and login links." example:"frontdesk --stack frontdesk user set-password 122817834548980"`
	Delete       userDelete       `cmd:"" help:"Delete a user, with links, tokens and memberships." example:"frontdesk --stack frontdesk user delete 122817834548980\nfrontdesk --stack frontdesk user delete --email ada@example.org"`
	Token        userToken        `cmd:"" help:"Create an agent token: a user who is signed in. It is shown once." example:"frontdesk --stack frontdesk user token 122817834548980 --ttl 24h"`
	RevokeTokens userRevokeTokens `cmd:"" help:"End all of a user's agent tokens and login links." example:"frontdesk --stack frontdesk user revoke-tokens 122817834548980"`
}

// userShow is frontdesk user show. Logs name users by their ids, and people by their addresses.
type userShow struct{ userOrEmail }

// Run reads the user, and with --email the owner of the address first. It needs no scan, unlike user list.
func (c userShow) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	u, err := c.read(ctx, &user.Service{Table: t})
	if err != nil {
		return err
	}
	return out.Show(u)
}

// userList is frontdesk user list. It has no flag to search by: for one user, user show reads two items instead of
// the whole table.
type userList struct{}

// Run scans the table, because no partition lists the users of all apps. Its cost grows with the whole table, not
// with the number of users.
func (userList) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	users, err := (&user.Service{Table: t}).List(ctx)
	if err != nil {
		return err
	}
	return out.Show(users)
}

// userArg is the user that a command is for. The id is an argument; --user is its former spelling, which scripts may
// still use.
type userArg struct {
	ID   string `arg:"" optional:"" help:"The user's id, as user list shows it."`
	User string `hidden:"" help:"The same, as it was given once."`
	id   id.ID  // parsed, once AfterApply has run
}

// AfterApply reads the id. It refuses two ids as well as none: with both spellings given, nobody could say which user
// is meant.
func (a *userArg) AfterApply() (err error) {
	if (a.ID == "") == (a.User == "") {
		return commandline.Usage("expected the <id> of one user; frontdesk user list shows them")
	}
	a.id, err = parseID(cmp.Or(a.ID, a.User), "user")
	return err
}

// userOrEmail is the user that a command is for, by the id or by the e-mail address.
type userOrEmail struct {
	ID    string `arg:"" optional:"" help:"The user's id, as user list shows it."`
	User  string `hidden:"" help:"The same, as it was given once."`
	Email string `help:"The user's e-mail address, in any spelling, in place of the id."`
	id    id.ID  // parsed, once AfterApply has run; 0 where the address is given
}

// AfterApply reads the id. Of id and address there must be one: with both given, nobody could say which user is meant.
func (a *userOrEmail) AfterApply() (err error) {
	switch given := cmp.Or(a.ID, a.User); {
	case given == "" && a.Email == "":
		return commandline.Usage("expected the <id> of one user, or --email; frontdesk user list shows both")
	case given != "" && a.Email != "", a.ID != "" && a.User != "":
		return commandline.Usage("expected the <id> of one user or --email, and not both")
	case given != "":
		a.id, err = parseID(given, "user")
	}
	return err
}

// find returns the user's id. It does not look whether a given one has a user.
func (a userOrEmail) find(ctx context.Context, users *user.Service) (id.ID, error) {
	if a.Email == "" {
		return a.id, nil
	}
	u, err := users.Find(ctx, a.Email)
	return u.ID, err
}

// read reads the user.
func (a userOrEmail) read(ctx context.Context, users *user.Service) (user.User, error) {
	if a.Email == "" {
		return users.Get(ctx, a.id)
	}
	return users.Find(ctx, a.Email)
}

// userToken is frontdesk user token, for programs that act as a user without a password or a login link.
type userToken struct {
	userArg
	TTL time.Duration `name:"ttl" default:"720h" help:"How long the token is good."`
}

// Run makes an agent token for any time that the flag gives: the limit of 365 days is for apps. The time is cut to
// whole seconds. The table holds only a digest of the token, so the token cannot be printed again.
func (c userToken) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	text, expires, err := user.Tokens{Table: t}.Create(ctx, c.id, c.TTL)
	if err != nil {
		return err
	}
	result := struct {
		User      id.ID     `json:"user"`
		Token     string    `json:"token" show:"token,once"`
		ExpiresAt time.Time `json:"expires_at" show:"expires"`
	}{c.id, text, expires}
	return out.Show(result)
}

// userSetEmail is frontdesk user set-email. It signs nobody out, unlike a new password.
type userSetEmail struct {
	userArg
	Email string `required:"" help:"The new address, which nobody else has."`
}

// Run moves the user to the new address in one transaction. If another user has that address, nothing changes.
func (c userSetEmail) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	changed, err := (&user.Service{Table: t}).SetEmail(ctx, c.id, c.Email)
	if err != nil {
		return err
	}
	return out.Show(changed)
}

// newPassword is the password that a command sets. Create and set-password share it.
type newPassword struct {
	Generate bool `help:"Make a password, and show it once, instead of reading one."`
}

// passwordView is a user with a new password, which is shown only if the tool generated it.
type passwordView struct {
	User     id.ID  `json:"user"`
	Password string `json:"password,omitempty" show:"password,once"`
}

// read generates the password, or reads it from the input. It is no argument: that would be in the shell's history,
// and in the list of processes.
func (n newPassword) read(ctx context.Context, out commandline.Output) (string, error) {
	if n.Generate {
		// At least 128 bits of randomness, in letters and digits that are safe to paste.
		return rand.Text(), nil
	}
	password, err := out.ReadSecret(ctx, "new password")
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return password, nil
}

// print reports what was done, and shows a generated password.
func (n newPassword) print(out commandline.Output, userID id.ID, password, done string) error {
	view := passwordView{User: userID}
	if n.Generate {
		view.Password = password
	}
	return out.Report(view, "user %d %s", userID, done)
}

// userCreate is frontdesk user create. Each user is made for a platform app, which can then manage the user.
type userCreate struct {
	App   string `required:"" placeholder:"ID" help:"The platform app that acts on the user."`
	Name  string `required:"" help:"The user's name."`
	Email string `required:"" help:"The user's address, which nobody else has."`
	newPassword
}

// Run refuses an address that a user already has: otherwise the app would be linked to that user, and the
// password ignored.
func (c userCreate) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	app, err := parseID(c.App, "platform-app")
	if err != nil {
		return err
	}
	email, err := user.ParseEmail(c.Email)
	if err != nil {
		return fmt.Errorf("e-mail address %w", err)
	}
	apps, err := platformapp.Store{Table: t}.List(ctx)
	if err != nil {
		return err
	}
	// All checks come before the password is read: nobody wants to type one for nothing.
	works := func(a platformapp.App) bool { return a.ID == app && a.RevokedAt.IsZero() }
	if !slices.ContainsFunc(apps, works) {
		return fmt.Errorf("there is no platform app %d, or it was revoked", app)
	}
	users := &user.Service{Table: t}
	owners, err := users.FindAll(ctx, email)
	if err != nil {
		return err
	}
	if len(owners) > 0 {
		return fmt.Errorf("a user has the e-mail address %s already", c.Email)
	}
	password, err := c.read(ctx, out)
	if err != nil {
		return err
	}
	created, isNew, err := users.CreateOrLink(ctx, app, user.Details{Name: c.Name, Email: c.Email, Password: password})
	if err != nil {
		return err
	}
	if !isNew { // a request was faster, while the operator typed
		return fmt.Errorf("meanwhile a user got the e-mail address %s: the app is linked to user %d, "+
			"whose password stays", c.Email, created.ID)
	}
	return c.print(out, created.ID, password, "was created")
}

// userSetPassword is frontdesk user set-password, for users who cannot sign in, or whose password others know.
type userSetPassword struct {
	userArg
	newPassword
}

// Run also signs the user out: a new password ends all agent tokens and login links.
func (c userSetPassword) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	password, err := c.read(ctx, out)
	if err != nil {
		return err
	}
	if _, err := (&user.Service{Table: t}).SetPassword(ctx, c.id, password); err != nil {
		return err
	}
	return c.print(out, c.id, password, "has another password, and is signed in nowhere")
}

// userDelete is frontdesk user delete. It leaves the mails to the user's address in the mail log; frontdesk person
// forget takes the address out of them.
type userDelete struct {
	userOrEmail
	commandline.Asking
}

// Run deletes the user for every app, with everything that belongs to the user. The user's record and the address go
// first, in one transaction, so an interrupted command leaves no user who can sign in. Of a user without a record it
// deletes what such a command has left, which frontdesk check tells.
func (c userDelete) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	users := &user.Service{Table: t}
	of, err := c.find(ctx, users)
	if err != nil {
		return err
	}
	if err := c.Confirm(ctx, out, "delete user %d for good?", of); err != nil {
		return err
	}
	deleted, err := users.Delete(ctx, of)
	if err != nil {
		return err
	}
	if deleted == nil {
		return out.Report(struct {
			ID id.ID `json:"id"`
		}{of}, "deleted what was left of user %d, who has no record", of)
	}
	return out.Report(deleted, "deleted user %d (%s)", deleted.ID, deleted.Email)
}

// userRevokeTokens is frontdesk user revoke-tokens. It signs a user out everywhere, and leaves the password as it is.
type userRevokeTokens struct {
	userArg
	commandline.Asking
}

// Run ends all tokens by one write to the user, and then deletes their records. The number that it prints is of
// records, so it may count tokens that had expired. Login links are not counted.
func (c userRevokeTokens) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	if err := c.Confirm(ctx, out, "end all agent tokens and login links of user %d?", c.id); err != nil {
		return err
	}
	n, err := user.Tokens{Table: t}.Revoke(ctx, c.id)
	if err != nil {
		return err
	}
	result := struct {
		User    id.ID `json:"user"`
		Revoked int   `json:"revoked"`
	}{c.id, n}
	return out.Report(result, "revoked %d tokens of user %d, and its login links", n, c.id)
}
