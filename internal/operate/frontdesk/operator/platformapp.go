package operator

import (
	"cmp"
	"context"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/service/user/platformapp"
)

// platformAppGroup has the commands of frontdesk platform-app. A new app can create and manage users at once. The
// members of an account's portals need a grant.
type platformAppGroup struct {
	Create      platformAppCreate      `cmd:"" help:"Create an app. Its access token is shown once." example:"frontdesk --stack frontdesk platform-app create --name shop --login-url https://help.example.com/login"`
	Update      platformAppUpdate      `cmd:"" help:"Change where an app's login links lead, and what it may." example:"frontdesk --local platform-app update 122817834361827 --may-import-hashes"`
	List        platformAppList        `cmd:"" help:"List the apps, revoked ones too." example:"frontdesk --stack frontdesk platform-app list"`
	Rotate      platformAppRotate      `cmd:"" help:"Give an app another access token, shown once. The old one ends at once." example:"frontdesk --stack frontdesk platform-app rotate 122817834361827"`
	Revoke      platformAppRevoke      `cmd:"" help:"End an app's access token and login links for good. Its users and grants stay, but it can no longer use them. Memberships that it made stay as well." example:"frontdesk --stack frontdesk platform-app revoke 122817834361827"`
	Grant       platformAppGrant       `cmd:"" help:"Let an app manage the members of an account's portals." example:"frontdesk --stack frontdesk platform-app grant 122817834361827 --account 1"`
	RevokeGrant platformAppRevokeGrant `cmd:"" help:"Stop an app from managing the members of an account's portals. Memberships that it made stay." example:"frontdesk --stack frontdesk platform-app revoke-grant 122817834361827 --account 1"`
}

// platformAppCreate is frontdesk platform-app create. MayImportHashes is for a move from another program: it lets the
// app set passwords that nobody here has checked.
type platformAppCreate struct {
	Name            string `required:"" help:"What the app is."`
	LoginURL        string `placeholder:"URL" help:"Where the app's login links lead: https, or http for this machine. Empty, the default, means the page of FrontendUrl."`
	MayImportHashes bool   `help:"Whether the app may create users with a password_hash of another program instead of a password."`
}

// Run prints the token of the new app, which has no grant yet. The store refuses a login address on which a network
// could see the links.
func (c platformAppCreate) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	app, text, err := platformapp.Store{Table: t}.Create(ctx, platformapp.App{
		Name: c.Name, LoginURL: c.LoginURL, MayImportHashes: c.MayImportHashes,
	})
	if err != nil {
		return err
	}
	return printAppToken(out, app, text)
}

// printAppToken prints a new token. The table holds only its digest, so nothing can print it again.
func printAppToken(out commandline.Output, app platformapp.App, text string) error {
	result := struct {
		platformAppView
		Token string `json:"token" show:"token,once"`
	}{newPlatformAppView(app), text}
	return out.Show(result)
}

// platformAppUpdate is frontdesk platform-app update. A nil flag was not given.
type platformAppUpdate struct {
	idArg
	LoginURL        *string `placeholder:"URL" help:"Where the app's login links lead: https, or http for this machine. Empty, the default, means the page of FrontendUrl."`
	MayImportHashes *bool   `negatable:"" help:"Whether the app may create users with a password_hash of another program instead of a password."`
}

// Run changes only the given flags. An empty --login-url is a value: it leads links back to the stack's own page.
func (c platformAppUpdate) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	change := platformapp.Change{LoginURL: c.LoginURL, MayImportHashes: c.MayImportHashes}
	if change == (platformapp.Change{}) {
		return commandline.Usage("give --login-url, --may-import-hashes or --no-may-import-hashes")
	}
	app, err := platformapp.Store{Table: t}.Update(ctx, c.id, change)
	if err != nil {
		return err
	}
	view := newPlatformAppView(app)
	return out.Print(view, func(p commandline.Printer) {
		if c.LoginURL != nil {
			where := cmp.Or(app.LoginURL, "the stack's own page")
			p.Printf("login links of platform app %d (%s) lead to %s\n", app.ID, app.Name, where)
		}
		if c.MayImportHashes != nil {
			p.Printf("platform app %d (%s) %s import hashes of passwords\n", app.ID, app.Name, view.MayImportHashes)
		}
	})
}

// permission is a bool that is printed as a verb.
type permission bool

func (p permission) String() string {
	if p {
		return "may"
	}
	return "may not"
}

// platformAppList is frontdesk platform-app list. It shows no tokens: the table holds only their digests.
type platformAppList struct{}

// Run reads the grants of each app one after the other: operators have few apps.
func (platformAppList) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	store := platformapp.Store{Table: t}
	apps, err := store.List(ctx)
	if err != nil {
		return err
	}
	list := views(apps, newPlatformAppView)
	for i := range list {
		grants, err := store.Grants(ctx, list[i].ID)
		if err != nil {
			return err
		}
		list[i].Accounts = views(grants, func(g platformapp.Grant) id.ID { return g.Account })
	}
	return out.Show(list)
}

// platformAppRotate is frontdesk platform-app rotate, for a token that others may have seen. Unlike a new app, the
// app keeps its users and grants.
type platformAppRotate struct {
	idArg
	commandline.Asking
}

// Run asks first, because the app's programs get 401 until they have the new token. If it is interrupted after the
// write, the new token is lost with its output: then rotate once more.
func (c platformAppRotate) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	err := c.Confirm(ctx, out, "end the access token and the login links of platform app %d?", c.id)
	if err != nil {
		return err
	}
	app, text, err := platformapp.Store{Table: t}.Rotate(ctx, c.id)
	if err != nil {
		return err
	}
	return printAppToken(out, app, text)
}

// platformAppRevoke is frontdesk platform-app revoke. The app's users stay, and other apps go on managing those to
// which they are linked.
type platformAppRevoke struct {
	idArg
	commandline.Asking
}

// Run revokes first and counts then. It counts the memberships that the app made in all accounts, which an operator
// may want to end one by one.
func (c platformAppRevoke) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	if err := c.Confirm(ctx, out, "end platform app %d for good?", c.id); err != nil {
		return err
	}
	app, err := platformapp.Store{Table: t}.Revoke(ctx, c.id)
	if err != nil {
		return err
	}
	n, err := countMadeBy(ctx, t, c.id, 0)
	if err != nil {
		return err
	}
	result := struct {
		platformAppView
		Members int `json:"members"`
	}{newPlatformAppView(app), n}
	return out.Report(result, "revoked platform app %d (%s)\n"+madeBy, app.ID, app.Name, n)
}

// platformAppView is a platform app as the tool prints it, without its token. Times are in UTC; RevokedAt is null
// while the token works.
type platformAppView struct {
	ID              id.ID      `json:"id" show:"id"`
	Name            string     `json:"name" show:"name,column"`
	CreatedAt       time.Time  `json:"created_at" show:"created,column,day"`
	RevokedAt       *time.Time `json:"revoked_at" show:"revoked,column,day"`
	LoginURL        string     `json:"login_url" show:"login,column"` // "" for the stack's own page
	MayImportHashes permission `json:"may_import_hashes" show:"hashes,column"`
	// Accounts are those whose members it manages; only in a list.
	Accounts []id.ID `json:"accounts,omitempty" show:"accounts,column"`
}

// newPlatformAppView leaves the accounts to the list: no other command reads the grants.
func newPlatformAppView(a platformapp.App) platformAppView {
	return platformAppView{
		ID:              a.ID,
		Name:            a.Name,
		LoginURL:        a.LoginURL,
		MayImportHashes: permission(a.MayImportHashes),
		CreatedAt:       a.CreatedAt,
		RevokedAt:       orNull(a.RevokedAt),
	}
}
