package category

import (
	"context"
	"slices"
	"sync"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// records are stored categories by their ids.
type records map[id.ID]changeset.Record

// recordsOf returns the categories with these ids that are among the items.
func recordsOf(p table.Portal, ids []id.ID, items table.Items) (records, error) {
	found := records{}
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

// has reports whether a category is among the records.
func (rs records) has(category id.ID) bool { _, ok := rs[category]; return ok }

// open reports whether a category is among the records and may get new links. One that is being deleted may not.
func (rs records) open(category id.ID) bool {
	r, ok := rs[category]
	return ok && !r.Deleting
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

// readRecords reads categories by their keys, in batches of [table.MaxItems], and calls check for each.
func (s *Service) readRecords(
	ctx context.Context, keys []table.Key, check func(changeset.Record) error,
) (records, error) {
	found := records{}
	var mu sync.Mutex
	group, reading := api.NewGroupContext(ctx)
	group.SetLimit(table.MaxParallel)
	for some := range slices.Chunk(keys, table.MaxItems) {
		group.Go(func() error {
			items, err := s.Table.Read(reading, some...)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			for k := range items {
				var r changeset.Record
				if _, err := items.Get(k, &r); err != nil {
					return err
				}
				found[r.ID] = r
				if err := check(r); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return found, group.Wait()
}
