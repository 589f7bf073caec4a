package category

import (
	"context"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// member is the agent who sends a request, as a member of the portal that its path names, and what was read in the
// round trip that has authenticated the agent.
type member struct {
	portal     portal.Portal
	membership portal.Membership
	items      table.Items // the categories that the request names among them

	caller portal.Caller
	named  []id.ID
}

// forMembers is an endpoint for the members of a portal. Named are the categories that an input names, which are read
// in one round trip with what tells whether the agent is a member; nil is for an input that names none.
func forMembers[Input any](
	s *Service, decode func(*api.Request) (Input, error), named func(Input) []id.ID,
	answer func(context.Context, *api.Request, member, Input) (api.Response, error),
) api.Handler {
	return api.Endpoint[Input, member]{
		Decode: decode,
		Authenticate: func(ctx context.Context, r *api.Request, in Input) (member, error) {
			caller, err := portal.ParseCaller(r)
			if err != nil {
				return member{}, err
			}
			var ids []id.ID
			if named != nil {
				ids = named(in)
			}
			return s.readMember(ctx, caller, ids)
		},
		Answer: answer,
	}.Handle
}

// one is what a request names that is about one category alone.
func one(category id.ID) []id.ID { return []id.ID{category} }

// readMember reads what tells whether a caller is a member of the portal, and the categories that its request names.
func (s *Service) readMember(ctx context.Context, c portal.Caller, named []id.ID) (member, error) {
	items, err := s.Table.Read(ctx, append(c.Keys(), categoryKeys(c.Portal, named)...)...)
	if err != nil {
		return member{}, err
	}
	p, membership, err := c.Authorize(items)
	return member{portal: p, membership: membership, items: items, caller: c, named: named}, err
}

// errNotFound: the path names a category that does not exist.
var errNotFound = api.Errorf(api.NotFound, "There is no such category")

// find gives the category that the path names.
func (m member) find(category id.ID) (r changeset.Record, err error) {
	found, err := m.items.Get(m.portal.Key().Category(category), &r)
	if err == nil && !found {
		err = errNotFound
	}
	return r, err
}

// retry makes a change to what was read with a member, and where that is stale again to what is there then, if the
// agent is a member still.
func retry[T any](ctx context.Context, s *Service, m member, change func(member) (T, error)) (T, error) {
	reread := func() (member, error) { return s.readMember(ctx, m.caller, m.named) }
	return table.RetryFrom(ctx, changeset.ErrStale, m, reread, change)
}
