package category

import (
	"context"
	"maps"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/id"
)

// readPage reads the places that a query asks for, then the categories that are there, then what is told of their
// links. The three are not of one moment: a category that was deleted meanwhile, or left the locale, is left out, and
// one that moved is shown where it was found. What others have acknowledged before is seen, because all reads are
// strongly consistent.
func (s *Service) readPage(ctx context.Context, p portal.Portal, q listQuery) (listing, error) {
	n := q.limit
	if n == 0 {
		n = maxList
	}
	places, err := s.readOrder(ctx, p, q, n+1)
	if err != nil {
		return listing{}, err
	}
	var l listing
	if len(places) > n {
		if q.limit == 0 {
			return listing{}, errListTooLarge
		}
		places = places[:n]
		l.meta.NextCursor = places[n-1].cursor()
	}
	ids := make([]id.ID, len(places))
	for i, place := range places {
		ids[i] = place.ID
	}
	var size answerSize
	found, err := s.readPlaces(ctx, p, ids, func(r changeset.Record) error { return size.add(minSize(r)) })
	if err != nil {
		return listing{}, err
	}
	shown := map[id.ID]bool{} // one that moves while it is read may be met at two places
	for _, c := range ids {
		if r, ok := found[c]; ok && !shown[c] && (q.locale == "" || r.Locale == q.locale) {
			shown[c] = true
			l.page = append(l.page, r)
		}
	}

	var links []changeset.Link
	for _, r := range l.page {
		links = append(links, r.Category().Links()...)
	}
	group, reading := api.NewGroupContext(ctx)
	group.Go(func() (err error) {
		l.incoming, err = s.readIncoming(reading, p, l.page, &size)
		return err
	})
	group.Go(func() (err error) {
		l.linked, err = s.readRecords(reading, categoryKeys(p.Key(), unknownTargets(links, found)),
			func(changeset.Record) error { return size.add(minSummary) })
		return err
	})
	if q.limit == 0 {
		group.Go(func() error {
			before, err := s.countBefore(reading, p, q)
			before += len(l.page)
			l.meta.Count = &before
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return listing{}, err
	}
	maps.Copy(l.linked, found)
	return l, nil
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
