package user

import (
	"context"

	"frontdesk/internal/base/api"
)

// DeleteTokensFunction is the endpoint DELETE /platform/api/v1/users/{user_id}/token.
func (s *Service) DeleteTokensFunction() api.Function {
	return api.Function{Handle: forLinked(s, nil, s.deleteTokens)}
}

// deleteTokens ends all of a user's agent tokens and login links, whoever has made them. Their records stay until they
// expire and DynamoDB deletes them, just as after a change of the password.
func (s *Service) deleteTokens(ctx context.Context, _ *api.Request, l linkedUser, _ struct{}) (api.Response, error) {
	if _, err := s.endTokens(ctx, l.user); err != nil {
		return api.Response{}, err
	}
	return api.Response{Body: struct{}{}}, nil
}
