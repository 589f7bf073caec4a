package category

import (
	"context"
	"slices"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/table"
)

// localeOrder is the list of one locale, as far as it has been read.
type localeOrder struct {
	locale string
	first  string // sort key where reading begins
	read   table.Page[changeset.Order]
	begun  bool
}

// orders returns the lists of the locales that a query asks for, each starting behind the cursor. A portal keeps the
// locales that it has lost here, because their categories stay.
func (q listQuery) orders(p portal.Portal) []*localeOrder {
	locales := p.EveryLocale()
	if q.locale != "" {
		locales = slices.DeleteFunc(locales, func(locale string) bool { return locale != q.locale })
	}
	orders := make([]*localeOrder, len(locales))
	for i, locale := range locales {
		orders[i] = &localeOrder{locale: locale, first: table.OrdersOf(locale)}
		if q.after != nil {
			// The first place that can follow the cursor has the same position and the next id.
			orders[i].first = p.Key().Order(locale, q.after.Position, q.after.ID+1).SK
		}
	}
	return orders
}

// next reads up to limit further places. It replaces the page that it read before.
func (o *localeOrder) next(ctx context.Context, t table.Table, partition string, limit int) (err error) {
	if o.begun {
		o.read, err = o.read.Next(ctx, limit)
	} else {
		o.read, err = table.QueryRange[changeset.Order](ctx, t, partition, o.first, table.OrdersOf(o.locale)+"~", limit)
	}
	o.begun = true
	return err
}

// unread reports whether this list may hold further places that belong to the first n of all lists. It does not when
// the last place that was read here already comes after the nth place known.
func (o *localeOrder) unread(places []sortKey, n int) bool {
	switch {
	case !o.begun:
		return true
	case !o.read.More():
		return false
	case len(places) < n || len(o.read.Items) == 0:
		return true
	}
	last := o.read.Items[len(o.read.Items)-1]
	return sortKey{last.Position, last.Category}.compare(places[n-1]) < 0
}

// readOrder reads the first n places of the list that a query asks for. The table holds one sorted list for each
// locale. readOrder merges them, and reads further only in those lists that may still contribute.
func (s *Service) readOrder(ctx context.Context, p portal.Portal, q listQuery, n int) ([]sortKey, error) {
	orders := q.orders(p)
	// Categories are seldom spread evenly over the locales. Four times an even share usually needs no second round.
	limit := min(n, 4*n/max(1, len(orders))+1)
	var places []sortKey
	for {
		orders = slices.DeleteFunc(orders, func(o *localeOrder) bool { return !o.unread(places, n) })
		if len(orders) == 0 {
			return places, nil
		}
		group, reading := api.NewGroupContext(ctx)
		group.SetLimit(table.MaxParallel)
		for _, o := range orders {
			group.Go(func() error { return o.next(reading, s.Table, p.Key().Categories(), limit) })
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		for _, o := range orders {
			for _, place := range o.read.Items {
				places = append(places, sortKey{place.Position, place.Category})
			}
		}
		slices.SortFunc(places, sortKey.compare)
		places = places[:min(n, len(places))]
		limit = n
	}
}

// countBefore counts the places up to and including the cursor.
func (s *Service) countBefore(ctx context.Context, p portal.Portal, q listQuery) (n int, err error) {
	if q.after == nil {
		return 0, nil
	}
	for _, o := range q.orders(p) {
		last := p.Key().Order(o.locale, q.after.Position, q.after.ID).SK
		some, err := s.Table.Count(ctx, p.Key().Categories(), table.OrdersOf(o.locale), last)
		if err != nil {
			return 0, err
		}
		n += some
	}
	return n, nil
}
