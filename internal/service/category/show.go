package category

import (
	"context"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/category/request"
	"frontdesk/internal/service/category/tree"
)

// ShowFunction is the endpoint GET …/categories/{category_id}.
func (s *Service) ShowFunction() api.Function {
	return api.Function{Handle: forMembers(s, request.DecodeTarget, singleton, s.show)}
}

func (s *Service) show(ctx context.Context, r *api.Request, m member, category id.ID) (api.Response, error) {
	found, err := m.find(category)
	if err != nil {
		return api.Response{}, err
	}
	logCategory(r, category)
	v, err := s.readView(ctx, m.portal, found)
	if err != nil {
		return api.Response{}, err
	}
	return answer(v, nil), nil
}

// readView reads what the answer shows of a category's links. It takes one round trip, and one more for each further 1
// MB of index items.
func (s *Service) readView(ctx context.Context, p portal.Portal, r changeset.Record) (tree.View, error) {
	var t tree.Tree
	c := r.Category
	t.Put(c)
	a, err := s.readLinks(ctx, p, []tree.Category{c}, &t)
	if err != nil {
		return tree.View{}, err
	}
	a.addTo(&t)
	return t.View(portalView(p), c), nil
}
