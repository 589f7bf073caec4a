package member

import (
	"context"
	"errors"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
)

// AddFunction is the endpoint POST …/members.
func (s *Service) AddFunction() api.Function {
	return api.Function{Handle: forGrantees(s, decodeAddition, identity, s.add), MaxBody: maxBody}
}

// maxBody is the largest body in bytes, far more than an id takes.
const maxBody = 4 << 10

// decodeAddition reads the body. A user_id that cannot exist is no error here: it must get the same 401 as a user
// without a link.
func decodeAddition(r *api.Request) (t target, err error) {
	body, err := r.Bytes()
	if err != nil {
		return t, err
	}
	o, err := r.ParseObject(body)
	if err != nil {
		return t, err
	}
	t.named = o.Has("user_id") && !o.Null("user_id")
	if n := id.ID(o.Int("user_id")); n > 0 && n <= id.Max {
		t.user = n
	}
	t.warnings = o.Warnings(nil)
	return t, o.Err()
}

// added is a member as the answer to its addition shows it.
type added struct {
	view
	Warnings []string `json:"warnings,omitempty"` // one for each field of the request that does not exist
}

// add makes a user a member. A member stays one, with the same answer, whoever made the membership.
func (s *Service) add(ctx context.Context, _ *api.Request, g grantee, t target) (api.Response, error) {
	if !t.named {
		var f api.Faults
		f.Add("user_id", "User id can't be blank")
		return api.Response{}, f.Err()
	}
	already := errors.New("the user is a member already")
	tx := s.begin(g)
	g.portal.Join(tx, t.user, g.claim.app.ID, already)
	if err := tx.Run(ctx); err != nil && err != already {
		return api.Response{}, err
	}
	return api.Response{Body: added{view{t.user}, t.warnings}}, nil
}
