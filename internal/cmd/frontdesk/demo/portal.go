package main

import (
	"context"
	"errors"

	"frontdesk/internal/category/portal"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// demoPortal is the help center whose categories the demo agent changes.
var demoPortal = portal.Portal{Account: 1, Slug: "handbook", Name: "Handbook", Locales: []string{"en", "es", "fr"}}

// provisionPortal gives the stack a portal with an agent as its member.
func (d *demo) provisionPortal(ctx context.Context, t table.Table, agent id.ID) error {
	portals := portal.Store{Table: t}
	if _, err := portals.Create(ctx, demoPortal); err != nil && !errors.Is(err, portal.ErrExists) {
		return err
	}
	portal := table.Portal{Account: demoPortal.Account, Slug: demoPortal.Slug}
	if err := portals.AddMember(ctx, portal, agent); err != nil {
		return err
	}
	d.variables["ACCOUNT_ID"], d.variables["PORTAL_SLUG"] = portal.Account.String(), portal.Slug
	return nil
}
