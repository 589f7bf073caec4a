package portal

import (
	"context"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/reopen"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Revived are the rules by which memberships end again that a restore has revived, and by which portals are
// private again.
func Revived() []reopen.Rule {
	return append(reopen.Pair("member", "membership"),
		reopen.Kind[publicAccess]{Name: "portal", Judge: judgePublic}.Rule())
}

// publicAccess is whether anybody may read a portal.
type publicAccess struct {
	table.Key
	Account   id.ID     `dynamo:"account"`
	Slug      string    `dynamo:"slug"`
	Public    bool      `dynamo:"public,omitempty"`
	Deleting  bool      `dynamo:"deleting,omitempty"`
	CreatedAt time.Time `dynamo:"created_at"`
}

// judgePublic: a portal that was made again is another one, so the one that was restored was deleted. A deletion ends a
// portal's memberships before its record goes. So where there are members of one that is missing, its record is lost.
func judgePublic(ctx context.Context, i reopen.Item[publicAccess]) (reopen.Ending, error) {
	p := i.Restored
	same := i.Later != nil && i.Later.CreatedAt.Equal(p.CreatedAt)
	if !p.Public || same && i.Later.Public && !i.Later.Deleting {
		return reopen.Ending{}, nil
	}
	private := func(u *dynamo.Update) { u.Set("public", false) }
	if same {
		return reopen.Update(i.Key, private,
			"portal %s of account %d: that anybody may read it", p.Slug, p.Account), nil
	}
	if i.Later == nil {
		lost, err := i.From.Has(ctx, table.Portal{Account: p.Account, Slug: p.Slug}.Member(0).PK)
		if err != nil {
			return reopen.Ending{}, err
		}
		if lost {
			return reopen.Lost("portal %s of account %d, which is public,", p.Slug, p.Account), nil
		}
	}
	return reopen.Update(i.Key, private, "portal %s of account %d, which was deleted: that anybody may read it; "+
		"frontdesk portal delete deletes the rest", p.Slug, p.Account), nil
}
