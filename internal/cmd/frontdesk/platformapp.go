package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
)

type platformAppGroup struct {
	Create platformAppCreate `cmd:"" help:"Create an app. Its access token is shown once."`
	List   platformAppList   `cmd:"" help:"List the apps, revoked ones too. Reads the whole table."`
	Revoke platformAppRevoke `cmd:"" help:"End an app's access token for good. Its users stay."`
}

type platformAppCreate struct {
	Name string `required:"" help:"What the app is."`
}

func (c platformAppCreate) Run(ctx context.Context, t table.Table, out output) error {
	app, text, err := user.Apps{Table: t}.Create(ctx, c.Name)
	if err != nil {
		return err
	}
	result := struct {
		platformAppView
		Token string `json:"token"`
	}{newPlatformAppView(app), text}
	return out.print(result, func(w io.Writer) {
		fmt.Fprintf(w, "id     %d\ntoken  %s\n\n", app.ID, text)
		fmt.Fprintln(w, "The token is shown this once: keep it where secrets are kept.")
	})
}

type platformAppList struct{}

func (platformAppList) Run(ctx context.Context, t table.Table, out output) error {
	apps, err := user.Apps{Table: t}.List(ctx)
	if err != nil {
		return err
	}
	views := make([]platformAppView, len(apps))
	for i, app := range apps {
		views[i] = newPlatformAppView(app)
	}
	return out.print(views, func(w io.Writer) {
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(tw, "ID\tNAME\tCREATED\tREVOKED")
		for _, app := range views {
			revoked := "-"
			if app.RevokedAt != nil {
				revoked = app.RevokedAt.Format(time.DateOnly)
			}
			fmt.Fprintf(tw, "%d\t%s\t%s\t%s\n", app.ID, app.Name, app.CreatedAt.Format(time.DateOnly), revoked)
		}
		tw.Flush()
	})
}

type platformAppRevoke struct {
	ID string `arg:"" help:"The app's id, as list shows it."`
}

func (c platformAppRevoke) Run(ctx context.Context, t table.Table, out output) error {
	appID, ok := id.Parse(c.ID)
	if !ok {
		return fmt.Errorf("%q is not an id; frontdesk platform-app list shows them", c.ID)
	}
	app, err := user.Apps{Table: t}.Revoke(ctx, appID)
	if err != nil {
		return err
	}
	return out.print(newPlatformAppView(app), func(w io.Writer) {
		fmt.Fprintf(w, "revoked platform app %d (%s)\n", app.ID, app.Name)
	})
}

// platformAppView is a platform app as it is printed.
type platformAppView struct {
	ID        id.ID      `json:"id"`
	Name      string     `json:"name"`
	CreatedAt time.Time  `json:"created_at"`
	RevokedAt *time.Time `json:"revoked_at"`
}

func newPlatformAppView(a user.App) platformAppView {
	view := platformAppView{ID: a.ID, Name: a.Name, CreatedAt: a.CreatedAt}
	if !a.RevokedAt.IsZero() {
		view.RevokedAt = &a.RevokedAt
	}
	return view
}
