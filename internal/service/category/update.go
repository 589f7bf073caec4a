package category

import (
	"context"
	"slices"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/request"
	"frontdesk/internal/service/category/tree"
)

// UpdateFunction is the endpoint PUT …/categories/{category_id}, and PATCH, which does the same.
func (s *Service) UpdateFunction() api.Function {
	return api.Function{Handle: forMembers(s, decodeEdit, edit.named, s.update)}
}

// edit is a decoded update: the category, what changes, and the categories that it is to link to.
type edit struct {
	category id.ID
	changes  request.Changes
	linked   []id.ID
}

func decodeEdit(r *api.Request) (edit, error) {
	category, err := request.DecodeTarget(r)
	if err != nil {
		return edit{}, err
	}
	changes, err := request.DecodeChanges(r)
	if err == nil {
		err = changes.CheckForUpdate()
	}
	return edit{category, changes, changes.Linked()}, err
}

// named returns the category and those that it is to link to.
func (e edit) named() []id.ID { return append(slices.Clip(e.linked), e.category) }

// update changes the fields that the request gives. A request that meets another one starts again from what that one
// has written, so both keep their fields.
func (s *Service) update(ctx context.Context, r *api.Request, m member, e edit) (api.Response, error) {
	v, err := retry(ctx, s, m, func(m member) (tree.View, error) { return s.change(ctx, m, e) })
	if err != nil {
		return api.Response{}, err
	}
	logCategory(r, v.ID)
	return answer(v, e.changes.Warnings), nil
}

// change applies an edit to the category that was read with the member. Side by side with the write it reads what the
// answer shows of links that stay.
func (s *Service) change(ctx context.Context, m member, e edit) (tree.View, error) {
	read, err := m.find(e.category)
	if err != nil {
		return tree.View{}, err
	}
	records, err := recordsOf(m.portal.Key(), e.linked, m.items)
	if err != nil {
		return tree.View{}, err
	}
	known, before := treeOf(records), read.Category
	// A slug from before a rule is no fault as long as it stays.
	changes := e.changes.KeepSlug(before.Slug)
	if err := changes.Check(before.ID, m.portal, known.Has); err != nil {
		return tree.View{}, err
	}
	after := changes.Apply(before)

	// A write that fails ends the read, so that the change can be tried again. A read that fails must not break off the
	// write, which has the request's own context.
	group, reading := api.NewGroupContext(ctx)
	// An update that changes nothing writes nothing, and updated_at stays.
	if !after.Equal(before) {
		cs := changeset.New(s.Table, m.portal.Key())
		after.UpdatedAt = cs.Time
		if err := cs.Update(ctx, read, after, changes.OnlyLinks(), m.items); err != nil {
			return tree.View{}, err
		}
		group.Go(func() error { return cs.Run(ctx) })
	}
	known.Put(after)
	var a links
	group.Go(func() (err error) {
		a, err = s.readLinks(reading, m.portal, []tree.Category{after}, known)
		return err
	})
	if err := group.Wait(); err != nil {
		return tree.View{}, err
	}
	a.addTo(known)
	return known.View(portalView(m.portal), after), nil
}
