package member

import (
	"context"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/service/category/portal"
)

// RemoveFunction is the endpoint DELETE …/members/{user_id}.
func (s *Service) RemoveFunction() api.Function {
	return api.Function{Handle: forGrantees(s, decodeRemoval, identity, s.remove)}
}

func decodeRemoval(r *api.Request) (t target, err error) {
	t.named = true
	t.user, _ = id.Parse(r.PathParameters["user_id"])
	return t, nil
}

// remove ends a membership, whoever made it. It is no error if there is none.
func (s *Service) remove(ctx context.Context, _ *api.Request, g grantee, t target) (api.Response, error) {
	tx := s.begin(g)
	portal.Leave(tx, g.portal.Key(), t.user)
	return api.Response{Body: struct{}{}}, tx.Run(ctx)
}
