package category

import (
	"context"
	"maps"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/request"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// UpdateFunction is the endpoint PUT …/categories/{category_id}, and PATCH, which does the same.
func (s *Service) UpdateFunction() api.Function {
	return api.Function{Handle: forMembers(s, decodeEdit, edit.named, s.update)}
}

// errNullRelated refuses null, which could mean "empty the list" as well as "keep it". For the other fields of an
// update, null clears the value or breaks a rule.
var errNullRelated = api.Errorf(
	api.Malformed, "category.related_category_ids must be an array of integers; [] empties it")

// edit is a decoded update: the category, and what changes.
type edit struct {
	category id.ID
	changes  request.Changes
}

func decodeEdit(r *api.Request) (edit, error) {
	category, err := request.DecodeTarget(r)
	if err != nil {
		return edit{}, err
	}
	changes, err := request.DecodeChanges(r)
	if err == nil && changes.Related.Null {
		err = errNullRelated
	}
	return edit{category, changes}, err
}

// named returns the category and those that it is to link to.
func (e edit) named() []id.ID { return append(e.changes.Linked(), e.category) }

// update changes the fields that the request gives. A request that meets another one starts again from what that one
// has written, so both keep their fields.
func (s *Service) update(ctx context.Context, r *api.Request, m member, e edit) (api.Response, error) {
	v, err := retry(ctx, s, m, func(m member) (view, error) { return s.change(ctx, m, e) })
	if err != nil {
		return api.Response{}, err
	}
	logCategory(r, v.ID)
	return answer(v, e.changes.Warnings), nil
}

// change applies an edit to the category that was read with the member. Side by side with the write it reads what the
// answer shows of links that stay.
func (s *Service) change(ctx context.Context, m member, e edit) (view, error) {
	read, err := m.find(e.category)
	if err != nil {
		return view{}, err
	}
	p, changes := m.portal.Key(), e.changes
	linked, err := recordsOf(p, changes.Linked(), m.items)
	if err != nil {
		return view{}, err
	}
	before := read.Category()
	// A slug from before a rule is no fault as long as it stays.
	changes = changes.KeepSlug(before.Slug)
	if err := changes.Check(before.ID, m.portal, linked.open); err != nil {
		return view{}, err
	}
	after := changes.Apply(before)

	group := api.NewGroup() // without a context: a read that fails must not break off the write
	// An update that changes nothing writes nothing, and updated_at stays.
	if !after.Equal(before) {
		cs := changeset.New(s.Table, p)
		after.UpdatedAt = cs.Time
		if err := cs.Update(ctx, read, after, m.items); err != nil {
			return view{}, err
		}
		group.Go(func() error { return cs.Run(ctx) })
	}
	var kept records
	var links []changeset.Ref
	group.Go(func() error {
		first, err := s.readLinks(ctx, p, read)
		if err == nil {
			links, err = first.All(ctx)
		}
		return err
	})
	group.Go(func() (err error) {
		kept, err = s.readLinked(ctx, p, after, linked)
		return err
	})
	if err := group.Wait(); err != nil {
		return view{}, err
	}
	maps.Copy(linked, kept)
	return newView(m.portal.Account, after, incomingOf(links), linked), nil
}

// readLinked reads the categories that c links to, except the known ones.
func (s *Service) readLinked(
	ctx context.Context, p table.Portal, c changeset.Category, known records,
) (records, error) {
	unknown := unknownTargets(c.Links(), known)
	items, err := s.Table.Read(ctx, categoryKeys(p, unknown)...)
	if err != nil {
		return nil, err
	}
	return recordsOf(p, unknown, items)
}
