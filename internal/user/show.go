package user

import (
	"context"

	"frontdesk/internal/api"
)

// ShowFunction is the endpoint GET /platform/api/v1/users/{user_id}.
func (s *Service) ShowFunction() api.Function { return api.Function{Handle: s.show} }

func (s *Service) show(ctx context.Context, r *api.Request) (api.Response, error) {
	u, err := s.authorize(ctx, r)
	if err != nil {
		return api.Response{}, err
	}
	return api.Response{Body: u}, nil
}
