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

// incoming are the ids of the categories that link to one category. Ids ascend with the time of creation, and links are
// sorted by them, so both lists are in the order of creation.
type incoming struct{ subs, associated []id.ID }

// add adds a link. An answer shows no incoming related links, so add ignores their kind.
func (in *incoming) add(kind table.RefKind, source id.ID) {
	switch kind {
	case table.Sub:
		in.subs = append(in.subs, source)
	case table.Assoc:
		in.associated = append(in.associated, source)
	}
}

// incomingOf sorts links to one category by their kind.
func incomingOf(links []changeset.Ref) (in incoming) {
	for _, r := range links {
		in.add(r.Kind, r.Source)
	}
	return in
}

// incomings are the links to several categories, by the id of the category that they lead to.
type incomings map[id.ID]incoming

// add adds a link. The target 0 stands for no link: its entry is never shown.
func (in incomings) add(target id.ID, kind table.RefKind, source id.ID) {
	to := in[target]
	to.add(kind, source)
	in[target] = to
}

// firstPage is how many links the first query asks for: a hundred, and one more. DynamoDB returns a cursor whenever
// it meets the limit, also when no item follows. With the one more, a category with exactly a hundred links needs
// one query.
const firstPage = 101

// readLinks reads the first page of the links that lead to a category. It makes no call when the record counts none.
func (s *Service) readLinks(
	ctx context.Context, p table.Portal, to changeset.Record,
) (links table.Page[changeset.Ref], err error) {
	if to.Incoming == 0 {
		return links, nil
	}
	return table.Query[changeset.Ref](ctx, s.Table, p.Categories(), table.RefsTo(to.ID), firstPage)
}

// readIncoming reads the links that lead to the categories of a page. Categories that lie close together share a
// query; each of the others gets its own, at most [table.MaxParallel] at a time. Categories whose records count no
// links cost nothing.
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
	// Sweep weighs a query over a gap against queries for each prefix. It needs the average number of links.
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
