package category

import (
	"context"
	"maps"
	"slices"

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
