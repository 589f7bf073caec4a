package category

import (
	"context"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/request"
)

// DeleteFunction is the endpoint DELETE …/categories/{category_id}.
func (s *Service) DeleteFunction() api.Function {
	return api.Function{Handle: forMembers(s, request.DecodeTarget, singleton, s.delete)}
}

// delete deletes a category in one transaction, however many links lead to it: a link to a category that is gone counts
// as none.
func (s *Service) delete(ctx context.Context, r *api.Request, m member, category id.ID) (api.Response, error) {
	_, err := retry(ctx, s, m, func(m member) (struct{}, error) {
		read, err := m.find(category)
		if err != nil {
			return struct{}{}, err
		}
		cs := changeset.New(s.Table, m.portal.Key())
		cs.Delete(read)
		return struct{}{}, cs.Run(ctx)
	})
	if err != nil {
		return api.Response{}, err
	}
	logCategory(r, category)
	return api.Response{Body: struct{}{}}, nil
}
