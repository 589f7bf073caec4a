package category

import (
	"context"
	"errors"
	"slices"
	"sync"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// incoming are the categories that link to one, by id, which is the order of their creation.
type incoming struct{ subs, associated []id.ID }

// add adds a link. Of some kinds nothing is told.
func (in *incoming) add(kind table.RefKind, source id.ID) {
	switch kind {
	case table.Sub:
		in.subs = append(in.subs, source)
	case table.Assoc:
		in.associated = append(in.associated, source)
	}
}

// incomingOf are the categories that the links to one lead from.
func incomingOf(links []changeset.Ref) (in incoming) {
	for _, r := range links {
		in.add(r.Kind, r.Source)
	}
	return in
}

// incomings are what leads to categories, by their ids.
type incomings map[id.ID]incoming

// add adds a link; one to 0 leads nowhere.
func (in incomings) add(target id.ID, kind table.RefKind, source id.ID) {
	to := in[target]
	to.add(kind, source)
	in[target] = to
}

// firstPage is how many links are read at first: a hundred, and one more to know that there are no others. (Where a
// limit is met exactly, DynamoDB says that there may be others.)
const firstPage = 101

// readLinks reads the first of the links that lead to a category: none, where its record counts none.
func (s *Service) readLinks(
	ctx context.Context, p table.Portal, to changeset.Record,
) (links table.Page[changeset.Ref], err error) {
	if to.Incoming == 0 {
		return links, nil
	}
	return table.Query[changeset.Ref](ctx, s.Table, p.Categories(), table.RefsTo(to.ID), firstPage)
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
