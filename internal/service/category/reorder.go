package category

import (
	"context"
	"log/slog"
	"slices"

	"frontdesk/internal/base/api"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/request"
	"frontdesk/internal/service/category/tree"
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
	views, err := retry(ctx, s, m, func(m member) ([]tree.View, error) { return s.setPositions(ctx, m, positions) })
	if err != nil {
		return api.Response{}, err
	}
	r.Log(slog.Int("categories", len(views)))
	return api.Response{Body: struct {
		Payload []tree.View `json:"payload"`
	}{views}}, nil
}

// setPositions writes the positions of the categories that were read with the member. Side by side with the write it
// reads what the answer shows of their links.
func (s *Service) setPositions(ctx context.Context, m member, positions request.Positions) ([]tree.View, error) {
	found, err := recordsOf(m.portal.Key(), m.named, m.items)
	if err != nil {
		return nil, err
	}
	known := treeOf(found)
	// A category that does not exist fails the whole request, so that positions are never half applied.
	if err := positions.Check(known.Has); err != nil {
		return nil, err
	}
	before := make([]changeset.Record, 0, len(found))
	for _, c := range positions.Categories() {
		before = append(before, found[c])
	}
	cs := changeset.New(s.Table, m.portal.Key())
	after, changes := cs.Reorder(before, positions)
	for _, c := range after {
		known.Put(c)
	}
	// As in [Service.change], a write that fails ends the read, and a read that fails must not break off the write.
	group, reading := api.NewGroupContext(ctx)
	// Nothing is written when every category already has its position.
	if changes {
		group.Go(func() error { return cs.Run(ctx) })
	}
	var a links
	group.Go(func() (err error) {
		a, err = s.readLinks(reading, m.portal, after, known)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	a.addTo(known)
	slices.SortFunc(after, func(a, b tree.Category) int { return a.Place().Compare(b.Place()) })
	views := make([]tree.View, len(after))
	for i, c := range after {
		views[i] = known.View(portalView(m.portal), c)
	}
	return views, nil
}
