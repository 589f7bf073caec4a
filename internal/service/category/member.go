package category

import (
	"context"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/portal"
)

// member is the agent who sends a request, as a member of the portal in its path. It holds all that the first round
// trip has read: what authenticates the agent, and the categories that the request names.
type member struct {
	portal     portal.Portal
	membership portal.Membership
	items      table.Items // all that was read, with the categories that the request names

	caller portal.Caller
	named  []id.ID
}

// forMembers makes an endpoint for the members of a portal. named returns the ids of the categories that a decoded
// input names. forMembers reads them in the same round trip as the agent and the membership. Pass nil for inputs that
// name no category.
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

// singleton is the named function of requests about one category.
func singleton(category id.ID) []id.ID { return []id.ID{category} }

// readMember reads, in one round trip, what tells whether the caller is a member of the portal, and the categories that
// the request names.
func (s *Service) readMember(ctx context.Context, c portal.Caller, named []id.ID) (member, error) {
	items, err := s.Table.Read(ctx, append(c.Keys(), categoryKeys(c.Portal, named)...)...)
	if err != nil {
		return member{}, err
	}
	p, membership, err := c.Authorize(items)
	return member{portal: p, membership: membership, items: items, caller: c, named: named}, err
}

// errNotFound answers a path with the id of a category that does not exist.
var errNotFound = api.Errorf(api.NotFound, "There is no such category")

// find returns the category that the path names. It makes no call: readMember has read the category.
func (m member) find(category id.ID) (r changeset.Record, err error) {
	found, err := m.items.Get(m.portal.Key().Category(category), &r)
	if err == nil && !found {
		err = errNotFound
	}
	return r, err
}

// retry makes a change to what was read with the member. When the write finds that this is stale, retry reads
// everything again, checks again that the agent is a member, and repeats the change.
func retry[T any](ctx context.Context, s *Service, m member, change func(member) (T, error)) (T, error) {
	reread := func() (member, error) { return s.readMember(ctx, m.caller, m.named) }
	return table.RetryFrom(ctx, changeset.ErrStale, m, reread, change)
}
