package operator

import (
	"context"
	"slices"
	"strconv"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/service/category"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/user"
)

// portalGroup has the commands of frontdesk portal. Only operators create portals: the API has no endpoint for it.
type portalGroup struct {
	Create       portalCreate       `cmd:"" help:"Create a portal." example:"frontdesk --local portal create --account 1 --slug manual --name Manual --locales en,de"`
	Update       portalUpdate       `cmd:"" help:"Change a portal's name or locales, or whether it is public. Categories of a removed locale stay." example:"frontdesk --stack frontdesk portal update --account 1 --slug manual --no-public"`
	List         portalList         `cmd:"" help:"List the portals." example:"frontdesk --stack frontdesk portal list"`
	Members      portalMembers      `cmd:"" help:"List the users who keep a portal's categories." example:"frontdesk --stack frontdesk portal members --account 1 --slug manual"`
	AddMember    portalAddMember    `cmd:"" help:"Let a user keep a portal's categories." example:"frontdesk --local portal add-member --account 1 --slug manual 122817834548980"`
	RemoveMember portalRemoveMember `cmd:"" help:"Let a user no longer keep a portal's categories." example:"frontdesk --local portal remove-member --account 1 --slug manual 122817834548980"`
	Delete       portalDelete       `cmd:"" help:"Delete a portal and its memberships. Run it again to continue an interrupted deletion." example:"frontdesk --stack frontdesk portal delete --account 1 --slug manual"`
}

// portalFlags select the portal that a command is for. A slug is unique within its account only, so a command needs
// both. --portal is the former name of --slug, which scripts may still use.
type portalFlags struct {
	Account id.ID  `required:"" placeholder:"N" help:"The account, an integer."`
	Slug    string `required:"" aliases:"portal" help:"The portal's part of the path."`
}

// key returns the portal's name in the table.
func (f portalFlags) key() table.Portal { return table.Portal{Account: f.Account, Slug: f.Slug} }

// portalCreate is frontdesk portal create. The first locale is the default one, unless --default-locale names another.
type portalCreate struct {
	portalFlags
	Name          string   `required:"" help:"The portal's name."`
	Locales       []string `required:"" placeholder:"en,es" help:"Locales that categories may have."`
	DefaultLocale string   `placeholder:"en" help:"Locale of a category that names none. Default: the first of --locales."`
	Public        bool     `help:"Let anybody read its categories."`
}

// Run fails if the account has a portal with this slug already; it changes nothing of that portal. A new portal has
// no members, so nobody can write to it until portal add-member.
func (c portalCreate) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	p, err := portal.Store{Table: t}.Create(ctx, portal.Portal{
		Account: c.Account, Slug: c.Slug, Name: c.Name, Locales: c.Locales, DefaultLocale: c.DefaultLocale,
		Public: c.Public,
	})
	if err != nil {
		return err
	}
	return out.Report(newPortalView(p), "created portal %s of account %d", p.Slug, p.Account)
}

// portalUpdate is frontdesk portal update. Account and slug never change: they are part of the key of every item of
// the portal.
type portalUpdate struct {
	portalFlags
	Name          string   `help:"A new name."`
	Locales       []string `placeholder:"en,es" help:"The locales that categories may have from now on."`
	DefaultLocale string   `placeholder:"en" help:"Locale of a category that names none."`
	Public        *bool    `negatable:"" help:"Whether anybody may read its categories; with --no-public only its members may, after at most a minute."` // nil if neither --public nor --no-public is given
}

// Run changes only what is given. Without --public and --no-public, who may read the portal stays as it is.
func (c portalUpdate) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	p, err := portal.Store{Table: t}.Update(ctx, portal.Portal{
		Account: c.Account, Slug: c.Slug, Name: c.Name, Locales: c.Locales, DefaultLocale: c.DefaultLocale,
	}, c.Public)
	if err != nil {
		return err
	}
	return out.Report(newPortalView(p), "updated portal %s of account %d", p.Slug, p.Account)
}

// portalList is frontdesk portal list. It reads a directory of portals, not the whole table, and the categories of
// the public ones.
type portalList struct{}

// Run also lists portals whose deletion was interrupted, because an operator has to repeat the deletion. It warns of
// public portals whose list readers do not get, or will soon not get.
func (portalList) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	portals, err := portal.Store{Table: t}.List(ctx)
	if err != nil {
		return err
	}
	if err := out.Show(views(portals, newPortalView)); err != nil {
		return err
	}
	warnings, err := category.WarnOfPortals(ctx, t)
	for _, w := range warnings {
		out.Note("%s; %s\n", w.Says, w.Mend)
	}
	return err
}

// portalMembers is frontdesk portal members. A member is a user who may write the portal's categories.
type portalMembers struct{ portalFlags }

// Run reads the users of the members in batches of as many items as one call of DynamoDB may read. A member whose
// user was deleted meanwhile is left out.
func (c portalMembers) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	members, err := portal.Store{Table: t}.Members(ctx, c.key())
	if err != nil {
		return err
	}
	users := []user.User{}
	for some := range slices.Chunk(members, table.MaxItems) {
		ids := views(some, func(m portal.Membership) id.ID { return m.User })
		read, err := (&user.Service{Table: t}).Read(ctx, ids...)
		if err != nil {
			return err
		}
		users = append(users, read...)
	}
	return out.Show(users)
}

// membership selects the portal and the user that a command is for. Adding and removing a member share it.
type membership struct {
	portalFlags
	userArg
}

// print prints the membership after the change: member is whether the user is a member now, and done is the same as
// words. The answer is the same when nothing had to change, so a script may repeat the command.
func (m membership) print(out commandline.Output, member bool, done string) error {
	result := struct {
		Account id.ID  `json:"account"`
		Portal  string `json:"portal"`
		User    id.ID  `json:"user"`
		Member  bool   `json:"member"`
	}{Account: m.Account, Portal: m.Slug, User: m.id, Member: member}
	return out.Report(result, "user %d %s portal %s of account %d", m.id, done, m.Slug, m.Account)
}

// portalAddMember is frontdesk portal add-member. The membership names no platform app, so it is not counted when an
// app is revoked.
type portalAddMember struct{ membership }

// Run refuses a user or a portal that does not exist, in the transaction that writes the membership.
func (c portalAddMember) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	if err := (portal.Store{Table: t}).AddMember(ctx, c.key(), c.id); err != nil {
		return err
	}
	return c.print(out, true, "is a member of")
}

// portalRemoveMember is frontdesk portal remove-member. The user's tokens stay good, for other portals.
type portalRemoveMember struct {
	membership
	commandline.Asking
}

// Run does not look whether there is such a membership: ending one that is not there succeeds, too.
func (c portalRemoveMember) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	if err := c.Confirm(ctx, out, "end the membership of user %d in %s?", c.id, c.key()); err != nil {
		return err
	}
	if err := (portal.Store{Table: t}).RemoveMember(ctx, c.key(), c.id); err != nil {
		return err
	}
	return c.print(out, false, "is no member of")
}

// portalDelete is frontdesk portal delete. The slug is free again afterwards, for another portal.
type portalDelete struct {
	portalFlags
	commandline.Asking
	WithCategories bool `help:"Delete its categories, too."`
}

// Run refuses a portal with categories unless --with-categories is given. Before it deletes anything it marks the
// portal, and nobody can use the portal from then on. After an interruption the operator runs the same command again,
// and it goes on. The numbers that it prints are those of the last run.
func (c portalDelete) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	if err := c.Confirm(ctx, out, "delete %s for good?", c.key()); err != nil {
		return err
	}
	d, err := portal.Store{Table: t}.Delete(ctx, c.key(), c.WithCategories)
	if err != nil {
		return err
	}
	result := struct {
		Account    id.ID  `json:"account"`
		Portal     string `json:"portal"`
		Categories int    `json:"categories"`
		Members    int    `json:"members"`
	}{Account: c.Account, Portal: c.Slug, Categories: d.Categories, Members: d.Members}
	return out.Report(result, "deleted portal %s of account %d, with categories: %d, memberships: %d",
		c.Slug, c.Account, d.Categories, d.Members)
}

// portalView is a portal as the tool prints it. JSON has being_deleted only after an interrupted deletion.
type portalView struct {
	Account       id.ID     `json:"account" show:"account"`
	Slug          string    `json:"slug" show:"slug"`
	Name          string    `json:"name" show:"name"`
	Locales       []string  `json:"locales" show:"locales"`
	DefaultLocale string    `json:"default_locale" show:"default"`
	Public        bool      `json:"public"`
	Deleting      bool      `json:"being_deleted,omitempty"`
	Readers       string    `json:"-" show:"public"` // both of Public and Deleting, in words
	CreatedAt     time.Time `json:"created_at" show:"created,day"`
}

// newPortalView cuts the time of creation to whole seconds. The stored one has nanoseconds, which only tell a portal
// from a later one with the same slug.
func newPortalView(p portal.Portal) portalView {
	view := portalView{
		Account: p.Account, Slug: p.Slug, Name: p.Name, Locales: p.Locales, DefaultLocale: p.DefaultLocale,
		Public: p.Public, Deleting: p.Deleting, CreatedAt: p.CreatedAt.Truncate(time.Second),
	}
	view.Readers = strconv.FormatBool(p.Public)
	if p.Deleting { // it is nobody's, whatever its record says of readers
		view.Readers = "being deleted"
	}
	return view
}
