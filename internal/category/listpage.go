package category

import (
	"context"
	"errors"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/id"
)

// shorter is by how much the places of a page become fewer that could not be read in time.
const shorter = 4

// readPage reads the places that a query asks for, then what is there. What others have acknowledged before is seen,
// because all reads are strongly consistent.
//
// A page with a limit ends early where its places cannot be read in a third of the time left: then the first quarter of
// them is read, again in a third of what is left, and so on. The cursor is the last place that was read. The first few
// places have all the time.
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
	if q.limit == 0 && len(places) > n {
		return listing{}, errListTooLarge
	}
	for {
		some, next := api.CutPage(places, n, sortKey.text)
		canEndEarly := q.limit > 0 && len(some) >= shorter
		reading, cancel := partOf(ctx, canEndEarly)
		l, err := s.readAt(reading, p, q, some, size.fresh())
		cancel()
		if err == nil || !canEndEarly || !isLate(err) || ctx.Err() != nil {
			l.meta.NextCursor = next
			return l, err
		}
		n = len(some) / shorter
	}
}

// partOf is a third of the time that is left, if only a part is to be taken.
func partOf(ctx context.Context, part bool) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok || !part {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(deadline)/3)
}

// isLate reports whether an error says that reading was not done in time, or was more than the table takes.
func isLate(err error) bool {
	e, ok := errors.AsType[*api.Error](err)
	return errors.Is(err, context.DeadlineExceeded) || ok && e.Kind == api.Unavailable
}

// readAt reads the categories that are at places, then what is told of their links. The places and both of these are
// not of one moment: a category that was deleted meanwhile, or left the locale, is left out. One that moved is shown
// where it was found, unless it says itself that it has left that place.
func (s *Service) readAt(
	ctx context.Context, p portal.Portal, q listQuery, places []sortKey, size *answerSize,
) (l listing, err error) {
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
