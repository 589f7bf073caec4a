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

// shorter divides the number of places of a page that could not be read in time, before the next attempt.
const shorter = 4

// readPage reads the places that a query asks for, then the categories at these places. All reads are strongly
// consistent, so a page shows every change that was answered before the request came.
//
// A page with a limit may end early. When its categories cannot be read in a third of the time left, readPage reads the
// first quarter of them, again in a third of what is left, and so on. The cursor then names the last place that was
// read. Fewer than four places get all the time that is left.
func (s *Service) readPage(
	ctx context.Context, p portal.Portal, q listQuery, size *answerSize,
) (listing, error) {
	n := q.limit
	if n == 0 {
		n = size.categories()
	}
	// One more place tells whether another page follows.
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

// partOf returns a context that ends after a third of the time left, or ctx itself when part is false or ctx has
// no deadline.
func partOf(ctx context.Context, part bool) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok || !part {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(deadline)/3)
}

// isLate reports whether reading took too long, or asked more of the table than it gives. A shorter page may help.
func isLate(err error) bool {
	e, ok := errors.AsType[*api.Error](err)
	return errors.Is(err, context.DeadlineExceeded) || ok && e.Kind == api.Unavailable
}

// readAt reads the categories at places, then what the answer shows of their links. These reads do not see one moment.
// A category that was deleted meanwhile, or has left the locale, is left out. A category that moved meanwhile is shown
// where its old place was, unless its record says that it has left this very place.
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
	shown := map[id.ID]bool{} // a category that moves meanwhile may stand at two places
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
