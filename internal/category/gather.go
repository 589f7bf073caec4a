package category

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// readPlaces reads the categories of ids: those that stand close together by queries, the others by their keys. It asks
// check of each, and ends with its error. What was read along is among the records, too, without a description.
func (s *Service) readPlaces(
	ctx context.Context, p portal.Portal, ids []id.ID, check func(changeset.Record) error,
) (records, error) {
	var keys []string
	for _, c := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		keys = append(keys, p.Key().Category(c).SK)
	}
	found := records{}
	visit := func(r changeset.Record, wanted bool) error {
		if !wanted {
			r.Description = nil
		}
		found[r.ID] = r
		if wanted {
			return check(r)
		}
		return nil
	}
	left, err := table.Sweep(ctx, s.Table, p.Key().Categories(), keys, 1, visit)
	if err != nil {
		return nil, err
	}
	byKey := make([]table.Key, len(left))
	for i, key := range left {
		byKey[i] = table.Key{PK: p.Key().Categories(), SK: key}
	}
	others, err := s.readRecords(ctx, byKey, check)
	maps.Copy(found, others)
	return found, err
}

// readRecords reads categories by their keys, and asks check of each.
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

// readAround reads what is told of the links of categories: those that lead to them, and side by side with that the
// categories that they lead to and that are not known.
func (s *Service) readAround(
	ctx context.Context, p portal.Portal, page []changeset.Record, known records, size *answerSize,
) (in incomings, linked records, err error) {
	var links []changeset.Link
	for _, r := range page {
		links = append(links, r.Category().Links()...)
	}
	group, reading := api.NewGroupContext(ctx)
	group.Go(func() (err error) {
		in, err = s.readIncoming(reading, p, page, size)
		return err
	})
	group.Go(func() (err error) {
		linked, err = s.readRecords(reading, categoryKeys(p.Key(), unknownTargets(links, known)),
			func(changeset.Record) error { return size.add(minSummary) })
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	maps.Copy(linked, known)
	return in, linked, nil
}

// unknownTargets are the categories that links lead to and that are not known, each once.
func unknownTargets(links []changeset.Link, known records) (unknown []id.ID) {
	seen := map[id.ID]bool{}
	for _, l := range links {
		if !seen[l.Target] && !known.has(l.Target) {
			seen[l.Target] = true
			unknown = append(unknown, l.Target)
		}
	}
	return unknown
}

// incomings are what leads to categories, by their ids.
type incomings map[id.ID]incoming

// add adds a link; one to 0 leads nowhere.
func (in incomings) add(target id.ID, kind table.RefKind, source id.ID) {
	to := in[target]
	to.add(kind, source)
	in[target] = to
}

// readIncoming reads the links that lead to the categories of a page: those of categories that stand close together by
// common queries, those of the others by a query each. A category that counts none is not asked about.
func (s *Service) readIncoming(
	ctx context.Context, p portal.Portal, page []changeset.Record, size *answerSize,
) (incomings, error) {
	var prefixes []string
	links := 0
	for _, r := range page {
		if r.Incoming > 0 {
			prefixes = append(prefixes, table.RefsTo(r.ID))
			links += int(r.Incoming)
		}
	}
	slices.Sort(prefixes)
	found := incomings{}
	visit := func(r changeset.Ref, wanted bool) error {
		if !wanted {
			return nil
		}
		found.add(r.Target, r.Kind, r.Source)
		return size.add(len(r.Source.String()) + len(`,`))
	}
	each := links/max(1, len(prefixes)) + 1
	left, err := table.Sweep(ctx, s.Table, p.Key().Categories(), prefixes, each, visit)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	group, reading := api.NewGroupContext(ctx)
	group.SetLimit(table.MaxParallel)
	for _, prefix := range left {
		group.Go(func() error {
			refs, err := table.Query[changeset.Ref](reading, s.Table, p.Key().Categories(), prefix, 0)
			for err == nil {
				mu.Lock()
				for _, r := range refs.Items {
					err = errors.Join(err, visit(r, true))
				}
				mu.Unlock()
				if err != nil || !refs.More() {
					return err
				}
				refs, err = refs.Next(reading, 0)
			}
			return err
		})
	}
	return found, group.Wait()
}
