package category

import (
	"context"
	"fmt"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/portal"
)

// Kinds declares categories, their claims and their index items. It is for operators.
func Kinds() []table.ItemKind {
	const retained = "others wrote it: let them change it"
	return []table.ItemKind{
		{
			Name: table.Portal{}.Category(0).Kind(),
			Read: table.DecodeAs(func(k table.Key, r changeset.Record) table.Key {
				return k.Portal().Category(r.ID)
			}, changeset.Record.Lacks),
			Agreement: table.Agreement{
				Pairs: table.FromContent(derived), Needs: table.FromContent(locale),
				Parent: table.FromContent(parent), Circle: openCircle,
				DeletedWith: portal.RecordKey, Missing: table.WasLost,
			},
			Privacy: table.Privacy{Retained: retained},
		},
		{
			Name: table.Portal{}.SlugOwner("", "").Kind(),
			Read: table.DecodeAs[changeset.SlugOwner](nil, nil),
			Agreement: table.Agreement{
				Pairs: table.FromContent(func(k table.Key, o changeset.SlugOwner) []table.Pair {
					return repeats(k, o.Category)
				}),
				DeletedWith: portal.RecordKey,
			},
			Privacy: table.Privacy{Retained: retained},
		},
		{
			Name: table.Portal{}.IndexItem(0, "", 0).Kind(), // ids
			Read: table.DecodeAs(func(k table.Key, i changeset.IndexItem) table.Key {
				return k.Portal().IndexItem(i.Target, string(i.Kind), i.Source)
			}, nil),
			Agreement: table.Agreement{
				Pairs: table.FromContent(func(k table.Key, i changeset.IndexItem) []table.Pair {
					return repeats(k, i.Source)
				}),
				DeletedWith: portal.RecordKey,
				Remake:      remakeIndexItem,
			},
		},
	}
}

// derived: a category owns its slug, and its parent and its root lead back to it. These may be gone.
func derived(k table.Key, r changeset.Record) (pairs []table.Pair) {
	for item := range r.Derived() {
		pairs = append(pairs, table.Pair{
			Other: item,
			Make: func(ctx context.Context, t table.Table) (string, error) {
				return changeset.Reconcile(ctx, t, k, item)
			},
			Do: "decide which of the two keeps the slug, and give the other one another: " +
				change(k, `{"category":{"slug":"…"}}`),
		})
	}
	return pairs
}

// repeats: the category that an item leads to has it. The item says nothing else.
func repeats(k table.Key, target id.ID) []table.Pair {
	category := k.Portal().Category(target)
	return []table.Pair{{Other: category, Drop: func(ctx context.Context, t table.Table) error {
		_, err := changeset.Reconcile(ctx, t, category, k)
		return err
	}}}
}

func locale(k table.Key, r changeset.Record) []table.Need {
	return []table.Need{portal.NeedLocale(k.Portal(), r.Locale)}
}

func parent(k table.Key, r changeset.Record) table.Key {
	if r.Parent == 0 {
		return table.Key{}
	}
	return k.Portal().Category(r.Parent)
}

// openCircle says how to open a circle of parents. At least one of them is wrong, and nothing says which.
func openCircle(k table.Key) string {
	return "decide which category loses its parent: " + change(k, `{"category":{"parent_category_id":null}}`)
}

// change is the request by which an agent changes a category.
func change(k table.Key, body string) string {
	p := k.Portal()
	return fmt.Sprintf("PATCH /api/v1/accounts/%d/portals/%s/categories/%d %s", p.Account, p.Slug, k.EndOfSort(), body)
}

// remakeIndexItem mends a damaged index item, whose key says all of it.
func remakeIndexItem(ctx context.Context, t table.Table, k table.Key) (did string, err error) {
	return changeset.Reconcile(ctx, t, k.Portal().Category(k.EndOfSort()), k)
}
