package user

import (
	"context"

	"frontdesk/internal/base/api"
)

// ShowFunction is the endpoint GET /platform/api/v1/users/{user_id}.
func (s *Service) ShowFunction() api.Function { return api.Function{Handle: forLinked(s, nil, s.show)} }

func (s *Service) show(_ context.Context, _ *api.Request, l linkedUser, _ struct{}) (api.Response, error) {
	return api.Response{Body: l.user}, nil
}
