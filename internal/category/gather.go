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

// readPlaces reads the categories with these ids. Ids that lie close together share a query; the others are read by
// their keys. readPlaces calls check for each category that was asked for, and stops at its first error.
//
// The result also has the categories that a query met in between. They save a read when one of the page links to them.
// They are kept without their descriptions, which nothing shows, to save memory.
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

// readAround reads what the answer shows of the links of a page's categories. Side by side it reads the links that lead
// to them, and the categories that they link to, except the known ones. The returned records include the known ones.
// One that is missing was deleted meanwhile.
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

// unknownTargets returns the targets of links that are not among the known categories, each once.
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
