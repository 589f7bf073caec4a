package portal

import (
	"context"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/reopen"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Revived returns the rules for what a restored backup brings back: it ends the memberships again that had ended since,
// and makes the portals private again that had become private.
func Revived() []reopen.Rule {
	return append(reopen.Pair("member", "membership"),
		reopen.Kind[publicAccess]{Name: "portal", Judge: judgePublic}.Rule())
}

// publicAccess is the part of a portal's record that says whether anybody may read it.
type publicAccess struct {
	table.Key
	Account   id.ID     `dynamo:"account"`
	Slug      string    `dynamo:"slug"`
	Public    bool      `dynamo:"public,omitempty"`
	Deleting  bool      `dynamo:"deleting,omitempty"`
	CreatedAt time.Time `dynamo:"created_at"`
}

// judgePublic decides about a restored portal that is public. A later portal with another time of creation is
// another portal, so the restored one was deleted. If the later table lacks the record, the portal was deleted, or
// its record was lost. A deletion ends the memberships before it removes the record, so a missing record with
// members left was lost.
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
