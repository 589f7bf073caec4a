package user

import (
	"fmt"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/table"
)

// Kinds declares users, the owners of e-mail addresses, links of apps, and tokens. It is for operators.
func Kinds() []table.ItemKind {
	const retained = "it is the user's: --user deletes the user"
	inPartition := table.Key.EndOfPartition
	needsUser := table.FromKey(func(k table.Key) []table.Need {
		return []table.Need{{Record: table.User(k.EndOfPartition())}}
	})
	token := table.Privacy{SecretKey: true}
	return []table.ItemKind{
		{
			Name: table.User(0).Kind(),
			Read: table.DecodeAs(func(_ table.Key, u User) table.Key { return table.User(u.ID) }, User.lacks),
			User: inPartition,
			Agreement: table.Agreement{Pairs: table.FromContent(ownsAddress), Missing: func(k table.Key) string {
				return fmt.Sprintf("frontdesk user delete %d", k.EndOfPartition())
			}},
			Revival: table.Revival{
				Ends: table.EndsByContent(endingOfUser), Access: []string{"id", "email", "generation"},
			},
			Privacy: table.Privacy{
				Retained: retained + "; or it is another user's, in what an app wrote: let the app change it",
			},
		},
		{
			Name: table.Email("").Kind(),
			Read: table.DecodeAs[Owner](nil, nil),
			Agreement: table.Agreement{
				Pairs: table.FromContent(ownedBy), Provides: notDeleted, Tally: table.FromContent(foreignKind),
			},
			Revival: table.Revival{Access: []string{"user", "password"}, Conceal: concealPassword},
			Privacy: table.Privacy{Retained: retained, Secrets: []string{"password"}},
		},
		{
			Name: table.PermissibleLink(0, 0).Kind(),
			Read: table.DecodeAs[PermissibleLink](nil, nil),
			User: table.Key.EndOfSort,
			Agreement: table.Agreement{Pairs: table.FromKey(linkedBothWays), Needs: table.FromContent(
				func(k table.Key, l PermissibleLink) []table.Need {
					return []table.Need{{Record: table.App(l.App())}, {Record: table.User(k.EndOfSort())}}
				},
			)},
			Revival: table.Revival{Ends: table.EndsIfBothDeleted(unlink), Access: []string{}},
		},
		{
			Name:      table.LinkedApp(0, 0).Kind(),
			Read:      table.DecodeAs[table.Key](nil, nil),
			User:      inPartition,
			Agreement: table.Agreement{Pairs: table.FromKey(linkedBothWays), Needs: needsUser},
			Revival:   table.Revival{Access: []string{}},
		},
		{
			Name:      table.AgentToken(0, credential.Digest{}).Kind(),
			Read:      table.DecodeAs[Token](nil, nil),
			User:      inPartition,
			Agreement: table.Agreement{Needs: needsUser},
			Revival:   table.Revival{Ends: table.EndsIfDeleted(deleteToken), Access: []string{}},
			Privacy:   token,
		},
		{
			Name:      table.UnansweredLogin(0, credential.Digest{}).Kind(),
			Read:      table.DecodeAs[Login](nil, nil),
			User:      inPartition,
			Agreement: table.Agreement{Needs: needsUser},
			Revival:   table.Revival{Ends: table.EndsAlways(deleteToken), Always: true},
			Privacy:   token,
		},
		{
			Name: table.LoginToken(0, credential.Digest{}).Kind(),
			Read: table.DecodeAs(func(k table.Key, l Login) table.Key {
				return table.Key{PK: table.LoginToken(l.User, credential.Digest{}).PK, SK: k.SK}
			}, nil),
			User:      inPartition,
			Agreement: table.Agreement{Needs: needsUser},
			// Nobody knows which login links were used since the backup.
			Revival: table.Revival{Ends: table.EndsAlways(deleteToken), Always: true},
			Privacy: token,
		},
	}
}
