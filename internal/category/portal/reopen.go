package portal

import (
	"context"

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
	Account id.ID  `dynamo:"account"`
	Slug    string `dynamo:"slug"`
	Public  bool   `dynamo:"public,omitempty"`
}

// judgePublic: a portal is never deleted.
func judgePublic(_ context.Context, i reopen.Item[publicAccess]) (reopen.Ending, error) {
	p := i.Restored
	switch {
	case !p.Public || i.Later != nil && i.Later.Public:
		return reopen.Ending{}, nil
	case i.Later == nil:
		return reopen.Lost("portal %s of account %d, which is public,", p.Slug, p.Account), nil
	}
	return reopen.Update(i.Key, func(u *dynamo.Update) { u.Set("public", false) },
		"portal %s of account %d: that anybody may read it", p.Slug, p.Account), nil
}
