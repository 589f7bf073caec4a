package category

import (
	"context"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/id"
)

// readPage reads the places that a query asks for, then the categories that are there, then what is told of their
// links. The three are not of one moment: a category that was deleted meanwhile, or left the locale, is left out, and
// one that moved is shown where it was found, unless it says itself that it has left that place. What others have
// acknowledged before is seen, because all reads are strongly consistent.
func (s *Service) readPage(
	ctx context.Context, p portal.Portal, q listQuery, size *answerSize,
) (listing, error) {
	n := q.limit
	if n == 0 {
		n = size.categories()
	}
	places, err := s.readOrder(ctx, p, q, n+1)
	if err != nil {
		return listing{}, err
	}
	var l listing
	if q.limit == 0 && len(places) > n {
		return listing{}, errListTooLarge
	}
	places, l.meta.NextCursor = api.CutPage(places, n, sortKey.text)
	ids := make([]id.ID, len(places))
	for i, place := range places {
		ids[i] = place.ID
	}
	found, err := s.readPlaces(ctx, p, ids, func(r changeset.Record) error { return size.add(minSize(r)) })
	if err != nil {
		return listing{}, err
	}
	shown := map[id.ID]bool{} // one that moves while it is read may be met at two places
	for _, place := range places {
		r, ok := found[place.ID]
		left := ok && r.Left == p.Key().Order(r.Locale, place.Position, place.ID).SK
		if ok && !left && !shown[r.ID] && (q.locale == "" || r.Locale == q.locale) {
			shown[r.ID] = true
			l.page = append(l.page, r)
		}
	}

	l.incoming, l.linked, err = s.readAround(ctx, p, l.page, found, size)
	return l, err
}
