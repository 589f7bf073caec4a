package operator

import (
	"context"
	"fmt"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/user/platformapp"
)

// grantArgs select the grant that a command is for.
type grantArgs struct {
	idArg
	Account id.ID `required:"" placeholder:"N" help:"The account, an integer."`
}

// grantView is a grant as the tool prints it. Members is nil, and absent in JSON, if nothing was counted.
type grantView struct {
	App     id.ID `json:"app"`
	Account id.ID `json:"account"`
	Granted bool  `json:"granted"`
	// Members counts the memberships that the app has made. They stay when the grant ends.
	Members *int `json:"members,omitempty"`
}

// platformAppGrant is frontdesk platform-app grant. A grant is for all portals of one account, including later ones.
type platformAppGrant struct{ grantArgs }

// Run refuses a revoked app. It does not look whether the account has portals. Granting twice changes nothing.
func (c platformAppGrant) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	if err := (platformapp.Store{Table: t}).Grant(ctx, c.id, c.Account); err != nil {
		return err
	}
	view := grantView{App: c.id, Account: c.Account, Granted: true}
	return out.Report(view, "platform app %d manages the members of the portals of account %d", c.id, c.Account)
}

// platformAppRevokeGrant is frontdesk platform-app revoke-grant. The app's token keeps working for its users.
type platformAppRevokeGrant struct {
	grantArgs
	commandline.Asking
}

// Run ends a grant. Without such a grant it succeeds as well, and still counts.
func (c platformAppRevokeGrant) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	err := c.Confirm(ctx, out, "end the grant of platform app %d to the portals of account %d?", c.id, c.Account)
	if err != nil {
		return err
	}
	if err := (platformapp.Store{Table: t}).RevokeGrant(ctx, c.id, c.Account); err != nil {
		return err
	}
	// The count comes after the revocation, when it can only fall.
	n, err := countMadeBy(ctx, t, c.id, c.Account)
	if err != nil {
		return err
	}
	return out.Report(grantView{App: c.id, Account: c.Account, Members: &n},
		"platform app %d no longer manages the members of the portals of account %d\n"+madeBy, c.id, c.Account, n)
}

// countMadeBy counts the memberships that an app made. It is called after the app can make no more. An account of 0
// stands for all accounts. An error says that the revocation itself is done, because nobody has to repeat that.
func countMadeBy(ctx context.Context, t table.Table, app, account id.ID) (int, error) {
	n, err := portal.Store{Table: t}.CountMadeBy(ctx, app, account)
	if err != nil {
		return 0, fmt.Errorf("it is revoked; count the memberships that it made: %w", err)
	}
	return n, nil
}

// madeBy is the line for that count. It is printed for 0 as well, so that a script finds the same line each time.
const madeBy = "memberships that it made, which stay: %d"
