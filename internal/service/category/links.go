package category

import (
	"context"
	"maps"
	"slices"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/category/tree"
)

// recordsOf returns the categories with these ids that are among the items.
func recordsOf(p table.Portal, ids []id.ID, items table.Items) (map[id.ID]changeset.Record, error) {
	found := map[id.ID]changeset.Record{}
	for _, c := range ids {
		var r changeset.Record
		ok, err := items.Get(p.Category(c), &r)
		if err != nil {
			return nil, err
		}
		if ok {
			found[c] = r
		}
	}
	return found, nil
}

// treeOf returns a tree with the categories of records.
func treeOf(records map[id.ID]changeset.Record) *tree.Tree {
	var t tree.Tree
	for _, r := range records {
		t.Put(r.Category)
	}
	return &t
}

// categoryKeys returns the keys of categories that may exist. It leaves out numbers that cannot be an id, because
// clients send any number. The zero Portal stands for a malformed path; it has no categories.
func categoryKeys(p table.Portal, ids []id.ID) (keys []table.Key) {
	for _, c := range ids {
		if p != (table.Portal{}) && c >= 1 && c <= id.Max {
			keys = append(keys, p.Category(c))
		}
	}
	return keys
}

// links is what answers show of the links of some categories: what leads to them, and where their own links lead.
type links struct {
	index   []changeset.IndexItem
	targets map[id.ID]changeset.Record
}

// readLinks reads what is around categories, side by side. known are categories that need not be read.
func (s *Service) readLinks(
	ctx context.Context, p portal.Portal, categories []tree.Category, known *tree.Tree,
) (a links, err error) {
	group, reading := api.NewGroupContext(ctx)
	group.Go(func() (err error) {
		a.index, err = s.readIndex(reading, p.Key(), categories)
		return err
	})
	group.Go(func() (err error) {
		a.targets, err = s.readLinked(reading, p.Key(), categories, known)
		return err
	})
	return a, group.Wait()
}

// addTo adds what was read to a tree that holds the categories themselves.
func (a links) addTo(t *tree.Tree) {
	for _, r := range a.targets {
		t.Put(r.Category)
	}
	for _, i := range a.index {
		t.AddLink(i.Target, i.Kind, i.Source)
	}
}

// readIndex reads the index items of categories by one query over all between the smallest id and the largest. It also
// returns those of categories in between. A query takes a unit for 4 KB, some 25 items.
func (s *Service) readIndex(
	ctx context.Context, p table.Portal, categories []tree.Category,
) (index []changeset.IndexItem, err error) {
	if len(categories) == 0 {
		return nil, nil
	}
	byID := func(a, b tree.Category) int { return int(a.ID - b.ID) }
	first := table.IndexOf(slices.MinFunc(categories, byID).ID)
	last := table.IndexOf(slices.MaxFunc(categories, byID).ID) + "~"
	page, err := table.QueryRange[changeset.IndexItem](ctx, s.Table, p.Categories(), first, last, 0)
	if err != nil {
		return nil, err
	}
	return page.All(ctx)
}

// readLinked reads the categories that others link to, except the known ones.
func (s *Service) readLinked(
	ctx context.Context, p table.Portal, categories []tree.Category, known *tree.Tree,
) (map[id.ID]changeset.Record, error) {
	var unknown []id.ID
	for _, c := range categories {
		for _, target := range c.Linked() {
			if !known.Has(target) {
				unknown = append(unknown, target)
			}
		}
	}
	slices.Sort(unknown)
	unknown = slices.Compact(unknown)
	parts := make([]map[id.ID]changeset.Record, (len(unknown)+table.MaxItems-1)/table.MaxItems)
	group, reading := api.NewGroupContext(ctx)
	group.SetLimit(table.MaxParallel)
	for n := range parts {
		some := unknown[n*table.MaxItems : min(len(unknown), (n+1)*table.MaxItems)]
		group.Go(func() error {
			items, err := s.Table.Read(reading, categoryKeys(p, some)...)
			if err == nil {
				parts[n], err = recordsOf(p, some, items)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	records := map[id.ID]changeset.Record{}
	for _, part := range parts {
		maps.Copy(records, part)
	}
	return records, nil
}
