package category

import (
	"context"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// DeleteFunction is the endpoint DELETE …/categories/{category_id}.
func (s *Service) DeleteFunction() api.Function { return api.Function{Handle: s.delete} }

const (
	// lastLinks is how many incoming links go in one transaction with the category: each takes two of its
	// 100 operations, and the category, its slug and its own links take up to 46.
	lastLinks = 25
	// chunkLinks is how many go in one transaction before.
	chunkLinks = 49
)

func (s *Service) delete(ctx context.Context, r *api.Request) (api.Response, error) {
	caller, err := ParseCaller(r)
	if err != nil {
		return api.Response{}, err
	}
	deleted, err := table.Retry(ctx, errStale, func() (id.ID, error) {
		sc, err := s.look(ctx, caller, r.PathParameters["category_id"], nil)
		if err != nil {
			return 0, err
		}
		return sc.record.ID, s.erase(ctx, caller.Portal, sc)
	})
	if err != nil {
		return api.Response{}, err
	}
	logCategory(r, deleted)
	return api.Response{Body: struct{}{}}, nil
}

// erase deletes the scene's category, and every link from it and to it. With many links to it, those go
// first, in transactions that each leave everything in order: broken off, it has only lost some links, and
// may be called again.
func (s *Service) erase(ctx context.Context, p table.Portal, sc scene) error {
	refs := sc.refs
	for len(refs) > lastLinks {
		n := min(chunkLinks, len(refs)-lastLinks)
		e := s.edit(p)
		for _, r := range refs[:n] {
			l := link{r.Kind, r.Target}
			e.remove(r.Source, l)
			e.drop(r.Source, l)
		}
		if err := e.run(ctx); err != nil {
			return err
		}
		refs = refs[n:]
	}

	c := sc.record.category()
	e := s.edit(p)
	k := p.Category(c.ID)
	e.tx.Delete(s.Table.Delete("PK", k.PK).Range("SK", k.SK).
		If("version = ?", sc.record.Version).If("incoming = ?", len(refs)), errStale)
	e.disown(c)
	for _, l := range c.links() {
		e.remove(c.ID, l)
	}
	for _, r := range refs {
		l := link{r.Kind, r.Target}
		e.removeRef(r.Source, l)
		e.drop(r.Source, l)
	}
	return e.run(ctx)
}
