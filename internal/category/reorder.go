package category

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/category/request"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// ReorderFunction is the endpoint POST …/categories/reorder.
func (s *Service) ReorderFunction() api.Function {
	return api.Function{Handle: forMembers(s, request.DecodePositions, request.Positions.Categories, s.reorder)}
}

// reorder gives positions to all named categories, or to none. It answers all of them in the order of the list, also
// those that already had their position.
func (s *Service) reorder(
	ctx context.Context, r *api.Request, m member, positions request.Positions,
) (api.Response, error) {
	l, err := retry(ctx, s, m, func(m member) (listing, error) {
		found, err := recordsOf(m.portal.Key(), m.named, m.items)
		if err != nil {
			return listing{}, err
		}
		// A category that does not exist fails the whole request, so that positions are never half applied.
		if err := positions.Check(found.has); err != nil {
			return listing{}, err
		}
		return s.place(ctx, m.portal, positions, found)
	})
	if err != nil {
		return api.Response{}, err
	}
	r.Log(slog.Int("categories", len(l.page)))
	if err := s.tidy(ctx, m.portal.Key(), l.page); err != nil {
		r.Log(slog.String("untidy", err.Error())) // the reorder itself has succeeded
	}
	return api.Response{Body: struct {
		Payload []view `json:"payload"`
	}{l.views(m.portal)}}, nil
}

// place writes the positions of the categories that were found, which are all that the positions name. Side by side
// with the write it reads what the answer shows of their links.
func (s *Service) place(ctx context.Context, p portal.Portal, positions request.Positions, found records) (
	l listing, err error,
) {
	before := make([]changeset.Record, 0, len(found))
	for _, c := range positions.Categories() {
		before = append(before, found[c])
	}
	if err := s.tidy(ctx, p.Key(), before); err != nil { // what an earlier request has left behind
		return listing{}, err
	}
	// tidy has removed these places.
	for i := range before {
		before[i].Left = ""
	}
	cs := changeset.New(s.Table, p.Key())
	l.page = cs.Reorder(before, positions)
	for _, r := range l.page {
		found[r.ID] = r
	}
	slices.SortFunc(l.page, func(a, b changeset.Record) int { return sortKeyOf(a).compare(sortKeyOf(b)) })
	group := api.NewGroup() // without a context: a read that fails must not break off the write
	// Nothing is written when every category already has its position.
	if slices.ContainsFunc(before, func(r changeset.Record) bool { return r.Version != found[r.ID].Version }) {
		group.Go(func() error { return cs.Run(ctx) })
	}
	group.Go(func() (err error) {
		l.incoming, l.linked, err = s.readAround(ctx, p, l.page, found, nil)
		return err
	})
	err = group.Wait()
	return l, err
}

// tidy removes the places in the list that categories have left. A category that another request has changed meanwhile
// is skipped, because that request has removed the place.
func (s *Service) tidy(ctx context.Context, p table.Portal, categories []changeset.Record) error {
	left := slices.DeleteFunc(slices.Clone(categories), func(r changeset.Record) bool { return r.Left == "" })
	if len(left) == 0 {
		return nil
	}
	ids := make([]id.ID, len(left))
	for i, r := range left {
		ids[i] = r.ID
	}
	_, err := table.Retry(ctx, changeset.ErrStale, func() (_ struct{}, stale error) {
		cs := changeset.New(s.Table, p)
		cs.Tidy(left)
		stale = cs.Run(ctx)
		if !errors.Is(stale, changeset.ErrStale) {
			return struct{}{}, stale
		}
		// Another request has changed one of them. Keep those that still have the same place to remove.
		items, err := s.Table.Read(ctx, categoryKeys(p, ids)...)
		if err != nil {
			return struct{}{}, err
		}
		now, err := recordsOf(p, ids, items)
		left = slices.DeleteFunc(left, func(r changeset.Record) bool { return now[r.ID].Left != r.Left })
		if err != nil || len(left) == 0 {
			return struct{}{}, err
		}
		return struct{}{}, stale
	})
	return err
}
