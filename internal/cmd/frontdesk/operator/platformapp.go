package operator

import (
	"cmp"
	"context"
	"time"

	"frontdesk/internal/cmd/frontdesk/commandline"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user/platformapp"
)

type platformAppGroup struct {
	Create platformAppCreate `cmd:"" help:"Create an app. Its access token is shown once."`
	Update platformAppUpdate `cmd:"" help:"Change where an app's login links lead."`
	List   platformAppList   `cmd:"" help:"List the apps, revoked ones too."`
	Rotate platformAppRotate `cmd:"" help:"Give an app another access token, shown once. The old one ends at once."`
	Revoke platformAppRevoke `cmd:"" help:"End an app's access token and login links for good. Its users stay."`
}

type platformAppCreate struct {
	Name     string `required:"" help:"What the app is."`
	LoginURL string `placeholder:"URL" help:"${platform_app_login_url}"`
}

func (c platformAppCreate) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	app, text, err := platformapp.Store{Table: t}.Create(ctx, platformapp.App{Name: c.Name, LoginURL: c.LoginURL})
	if err != nil {
		return err
	}
	return printAppToken(out, app, text)
}

func printAppToken(out commandline.Output, app platformapp.App, text string) error {
	result := struct {
		platformAppView
		Token string `json:"token"`
	}{newPlatformAppView(app), text}
	return out.Print(result, func(p commandline.Printer) {
		p.Row("id", app.ID)
		p.Row("token", text)
		printShownOnce(p, "token")
	})
}

type platformAppUpdate struct {
	idArg
	LoginURL string `required:"" placeholder:"URL" help:"${platform_app_login_url}"`
}

func (c platformAppUpdate) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	app, err := platformapp.Store{Table: t}.SetLoginURL(ctx, c.id, c.LoginURL)
	if err != nil {
		return err
	}
	return out.Print(newPlatformAppView(app), func(p commandline.Printer) {
		where := cmp.Or(app.LoginURL, "the stack's own page")
		p.Printf("login links of platform app %d (%s) lead to %s\n", app.ID, app.Name, where)
	})
}

type platformAppList struct{}

func (platformAppList) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	apps, err := platformapp.Store{Table: t}.List(ctx)
	if err != nil {
		return err
	}
	columns := cells{"ID", "NAME", "CREATED", "REVOKED", "LOGIN"}
	return printList(out, columns, views(apps, newPlatformAppView), func(a platformAppView) cells {
		return cells{a.ID, a.Name, day(&a.CreatedAt), day(a.RevokedAt), cmp.Or(a.LoginURL, "-")}
	})
}

type platformAppRotate struct{ idArg }

func (c platformAppRotate) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	app, text, err := platformapp.Store{Table: t}.Rotate(ctx, c.id)
	if err != nil {
		return err
	}
	return printAppToken(out, app, text)
}

type platformAppRevoke struct{ idArg }

func (c platformAppRevoke) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	app, err := platformapp.Store{Table: t}.Revoke(ctx, c.id)
	if err != nil {
		return err
	}
	return out.Print(newPlatformAppView(app), func(p commandline.Printer) {
		p.Printf("revoked platform app %d (%s)\n", app.ID, app.Name)
	})
}

// platformAppView is a platform app as it is printed.
type platformAppView struct {
	ID        id.ID      `json:"id"`
	Name      string     `json:"name"`
	LoginURL  string     `json:"login_url"` // "" for the stack's own page
	CreatedAt time.Time  `json:"created_at"`
	RevokedAt *time.Time `json:"revoked_at"`
}

func newPlatformAppView(a platformapp.App) platformAppView {
	return platformAppView{
		ID:        a.ID,
		Name:      a.Name,
		LoginURL:  a.LoginURL,
		CreatedAt: a.CreatedAt,
		RevokedAt: orNull(a.RevokedAt),
	}
}
