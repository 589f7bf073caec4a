package category

import (
	"context"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
)

// ShowFunction is the endpoint GET …/categories/{category_id}.
func (s *Service) ShowFunction() api.Function { return api.Function{Handle: s.show} }

func (s *Service) show(ctx context.Context, r *api.Request) (api.Response, error) {
	caller, err := portal.ParseCaller(r)
	if err != nil {
		return api.Response{}, err
	}
	snap, err := s.readSnapshot(ctx, caller, r.PathParameters["category_id"], nil)
	if err != nil {
		return api.Response{}, err
	}
	logCategory(r, snap.record.ID)
	v, err := s.readView(ctx, snap.portal, snap.record)
	if err != nil {
		return api.Response{}, err
	}
	return answer(v), nil
}

// readView reads what is told of the links of a category that was read, in one round trip: one more for each further
// 1 MB of links to it.
func (s *Service) readView(ctx context.Context, p portal.Portal, r changeset.Record) (view, error) {
	in, linked, err := s.readAround(ctx, p, []changeset.Record{r}, nil, nil)
	if err != nil {
		return view{}, err
	}
	return newView(p.Account, r.Category(), in[r.ID], linked), nil
}
