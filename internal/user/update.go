package user

import (
	"context"
	"fmt"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// UpdateFunction is the endpoint PATCH /platform/api/v1/users/{user_id}.
func (s *Service) UpdateFunction() api.Function {
	return api.Function{Handle: s.update, MaxBody: maxBody}
}

// update changes the name; every other field is ignored. Without a name nothing changes.
func (s *Service) update(ctx context.Context, r *api.Request) (api.Response, error) {
	u, err := s.authorize(ctx, r)
	if err != nil {
		return api.Response{}, err
	}
	o, err := object(r)
	if err != nil {
		return api.Response{}, err
	}
	if o.Has("name") {
		var f api.Faults
		name := o.String("name") // "" for null, which is refused as blank
		checkName(&f, name)
		if err := o.Err(); err != nil {
			return api.Response{}, err
		}
		if err := f.Err(); err != nil {
			return api.Response{}, err
		}
		if u, err = s.rename(ctx, u.ID, name); err != nil {
			return api.Response{}, err
		}
	}
	return api.Response{Body: u}, nil
}

// rename writes a new name and gives the user as written.
func (s *Service) rename(ctx context.Context, user id.ID, name string) (User, error) {
	var item userItem
	k := table.User(user)
	err := s.Table.Update("PK", k.PK).Range("SK", k.SK).
		Set("name", name).Set("updated_at", s.now()).
		If("attribute_exists(PK)").
		Value(ctx, &item)
	if dynamo.IsCondCheckFailed(err) {
		return User{}, errUnauthorized
	}
	if err != nil {
		return User{}, fmt.Errorf("update user: %w", err)
	}
	return item.user(), nil
}
