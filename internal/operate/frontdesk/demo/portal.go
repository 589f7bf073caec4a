package demo

import (
	"context"
	"errors"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/frontdesk/seed"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/category/tree"
)

// demoPortal is the public help center whose categories the demo agent changes.
var demoPortal = portal.Portal{
	Account: 1, Slug: "handbook", Name: "Handbook", Locales: []string{"en", "es", "fr"}, Public: true,
}

// provisionPortal creates a portal with an agent as its member. A new portal gets a first category. It sets the
// variables ACCOUNT_ID and PORTAL_SLUG.
func (d *Tenant) provisionPortal(ctx context.Context, t table.Table, agent id.ID) error {
	portals := portal.Store{Table: t}
	p := table.Portal{Account: demoPortal.Account, Slug: demoPortal.Slug}
	switch _, err := portals.Create(ctx, demoPortal); {
	case err == nil:
		if err := provisionCategory(ctx, t, p); err != nil {
			return err
		}
	// A portal of an earlier start keeps its categories.
	case !errors.Is(err, portal.ErrExists):
		return err
	}
	if err := portals.AddMember(ctx, p, agent); err != nil {
		return err
	}
	d.Variables["ACCOUNT_ID"], d.Variables["PORTAL_SLUG"] = p.Account.String(), p.Slug
	return nil
}

// provisionCategory creates a first category, so that the console and the examples have something to show.
func provisionCategory(ctx context.Context, t table.Table, p table.Portal) error {
	c := changeset.New(t, p)
	c.Create(tree.Category{
		ID: id.New(), Name: "Welcome", Slug: "welcome", Locale: demoPortal.Locales[0],
		CreatedAt: c.Time, UpdatedAt: c.Time,
	})
	return c.Run(ctx)
}

// Seed fills the stack with sample data.
func (d *Tenant) Seed(ctx context.Context) error {
	return seed.Fill(ctx, seed.Stack{
		URL:           d.Variables["BASE_URL"],
		MailKey:       d.Variables["MAIL_KEY"],
		PlatformToken: d.Variables["PLATFORM_TOKEN"],
		AgentToken:    d.Variables["AGENT_TOKEN"],
		Account:       d.Variables["ACCOUNT_ID"],
		Portal:        d.Variables["PORTAL_SLUG"],
	})
}
