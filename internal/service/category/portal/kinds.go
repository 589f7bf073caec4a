package portal

import (
	"context"
	"fmt"
	"slices"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
)

// Kinds declares portals, their members and the memberships of users. It is for operators.
func Kinds() []table.ItemKind {
	return []table.ItemKind{
		{
			Name: table.Portal{}.Key().Kind(),
			Read: table.DecodeAs(func(_ table.Key, p Portal) table.Key { return p.Key().Key() }, nil),
			Agreement: table.Agreement{
				Pairs: table.InDirectory, Missing: table.WasLost,
				Provides: table.FromContent(knownLocales), Deleting: table.FromContent(deletion),
			},
			Revival: table.Revival{
				Ends:   table.EndsByContent(ending),
				Access: []string{"account", "slug", "public", "deleting", "created_at"},
			},
			Privacy: table.Privacy{Forget: table.ForgetIn("name"), Retained: "others wrote it: let them change it"},
		},
		{
			Name: table.Portal{}.Member(0).Kind(), // ids
			Read: table.DecodeAs(func(k table.Key, m Membership) table.Key {
				return k.Portal().Member(m.User)
			}, nil),
			User: table.Key.EndOfSort,
			Agreement: table.Agreement{
				Pairs: table.FromKey(bothWays), DeletedWith: RecordKey,
				Needs: needsUser(table.Key.EndOfSort),
			},
			Revival: table.Revival{Ends: table.EndsIfBothDeleted(leave), Access: []string{}},
		},
		{
			Name:      table.Portal{}.Membership(0).Kind(), // ids
			Read:      table.DecodeAs[table.Key](nil, nil),
			User:      table.Key.EndOfPartition,
			Agreement: table.Agreement{Pairs: table.FromKey(bothWays), Needs: needsUser(table.Key.EndOfPartition)},
			Revival:   table.Revival{Access: []string{}},
		},
	}
}

// RecordKey returns the record of the portal that an item is in.
func RecordKey(k table.Key) table.Key { return k.Portal().Key() }

func needsUser(in func(table.Key) id.ID) func(table.Stored) []table.Need {
	return table.FromKey(func(k table.Key) []table.Need { return []table.Need{{Record: table.User(in(k))}} })
}

// bothWays makes a lost side of a membership again. When it was made, and by which app, is lost.
func bothWays(k table.Key) []table.Pair {
	return table.BothWays(k, table.Members, func(k table.Key) any { return Membership{Key: k, User: k.EndOfSort()} })
}

// knownLocales offers each locale in which a category of the portal may be.
func knownLocales(k table.Key, p Portal) (parts []table.Key) {
	for _, locale := range slices.Concat(p.Locales, p.FormerLocales) {
		parts = append(parts, localePart(k, locale))
	}
	return parts
}

// localePart is the key that stands for a locale of a portal. No such item exists.
func localePart(portal table.Key, locale string) table.Key {
	return table.Key{PK: portal.PK, SK: "LOCALE#" + NormalLocale(locale)}
}

// NeedLocale is what a category needs of its portal: the locale is one that the portal has or had. Otherwise readers
// would not get the category. If it is none, it becomes a former one.
func NeedLocale(p table.Portal, locale string) table.Need {
	return table.Need{
		Record: p.Key(), Part: localePart(p.Key(), locale),
		Mend: func(ctx context.Context, t table.Table) (string, error) {
			return "made it a former locale of the portal", Store{Table: t}.addFormer(ctx, p, locale)
		},
	}
}

// addFormer adds a former locale to a portal.
func (s Store) addFormer(ctx context.Context, key table.Portal, locale string) error {
	p, err := s.read(ctx, key)
	if err != nil || p.Knows(locale) {
		return err
	}
	after := p
	after.FormerLocales = append(slices.Clone(p.FormerLocales), locale)
	return s.replace(ctx, p, after)
}

// deletion is the command that goes on with an interrupted deletion of a portal.
func deletion(_ table.Key, p Portal) string {
	if !p.Deleting {
		return ""
	}
	do := fmt.Sprintf("frontdesk portal delete --account %d --slug %s", p.Account, p.Slug)
	if p.Clearing {
		do += " --with-categories"
	}
	return do
}

// ending decides about a restored portal that is public. A later portal with another time of creation is another
// portal, so the restored one was deleted. If the later table lacks the record, the portal was deleted, or its record
// was lost. A deletion ends the memberships before it removes the record, so a missing record with members left was
// lost.
func ending(ctx context.Context, _ table.Key, p Portal, later *Portal, from table.Later) (table.Ending, error) {
	same := later != nil && later.CreatedAt.Equal(p.CreatedAt)
	if !p.Public || same && later.Public && !later.Deleting {
		return table.Ending{}, nil
	}
	key := p.Key()
	private := func(ctx context.Context, t table.Table) error { return Store{Table: t}.makePrivate(ctx, key) }
	if same {
		return table.Ending{Says: fmt.Sprintf("%s: that anybody may read it", key), End: private}, nil
	}
	if later == nil {
		lost, err := from.Has(ctx, key.Member(0).PK)
		if err != nil {
			return table.Ending{}, err
		}
		if lost {
			return table.Lost("%s, which is public,", key), nil
		}
	}
	return table.Ending{
		Says: fmt.Sprintf("%s, which was deleted: that anybody may read it; "+
			"frontdesk portal delete deletes the rest", key),
		End: private,
	}, nil
}

// makePrivate takes from anybody the leave to read a portal, whatever else is true of it.
func (s Store) makePrivate(ctx context.Context, key table.Portal) error {
	tx := s.Table.Tx()
	tx.Update(s.Table.UpdateItem(key.Key()).Set("public", false).If("attribute_exists(PK)"), errStale)
	return tx.Run(ctx)
}

// leave ends a membership, given the key of its record in the portal.
func leave(ctx context.Context, t table.Table, member table.Key) error {
	return Store{Table: t}.RemoveMember(ctx, member.Portal(), member.EndOfSort())
}
