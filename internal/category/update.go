package category

import (
	"context"
	"maps"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// UpdateFunction is the endpoint PUT …/categories/{category_id}.
func (s *Service) UpdateFunction() api.Function { return api.Function{Handle: s.update} }

// update changes the fields that are given. Whoever changes another field at the same time keeps that, too:
// a change that met another one is made anew on what that one left.
func (s *Service) update(ctx context.Context, r *api.Request) (api.Response, error) {
	caller, err := ParseCaller(r)
	if err != nil {
		return api.Response{}, err
	}
	changes, malformed := decodeRequest(r)
	if malformed == nil && changes.Related.Null {
		malformed = api.Errorf(api.Malformed, "category.related_category_ids must be an array of integers; [] empties it")
	}
	v, err := table.Retry(ctx, errStale, func() (view, error) {
		sc, err := s.look(ctx, caller, r.PathParameters["category_id"], malformed, s.updateKeys(caller.Portal, changes)...)
		if err != nil {
			return view{}, err
		}
		return s.change(ctx, caller.Portal, sc, changes)
	})
	if err != nil {
		return api.Response{}, err
	}
	logCategory(r, v.ID)
	return answer(v), nil
}

func (s *Service) updateKeys(p table.Portal, changes Changes) []table.Key {
	keys := categoryKeys(p, changes.linked())
	if changes.Parent.Given && !changes.Parent.Null {
		keys = append(keys, p.Tree())
	}
	return keys
}

// change writes what the changes make of the scene's category, and reads beside it what the answer tells of
// the links that stay.
func (s *Service) change(ctx context.Context, p table.Portal, sc scene, changes Changes) (view, error) {
	linked, err := recordsIn(sc.items, p, changes.linked())
	if err != nil {
		return view{}, err
	}
	before := sc.record.category()
	if err := changes.check(before.ID, sc.portal, isIn(linked)); err != nil {
		return view{}, err
	}
	after := changes.apply(before)
	if after.Parent != 0 && after.Parent != before.Parent {
		if err := s.climb(ctx, p, before.ID, after.Parent); err != nil {
			return view{}, err
		}
	}

	group := api.NewGroup() // without a context: a read that fails must not break off the write
	if !after.equal(before) {
		after.UpdatedAt = now()
		e, err := s.changeEdit(p, sc, before, after)
		if err != nil {
			return view{}, err
		}
		group.Go(func() error { return e.run(ctx) })
	}
	var kept map[id.ID]record
	group.Go(func() (err error) {
		kept, err = s.keptLinks(ctx, p, after, linked)
		return err
	})
	if err := group.Wait(); err != nil {
		return view{}, err
	}
	maps.Copy(linked, kept)
	return show(sc.portal.Account, after, sc.incoming(), linked), nil
}

// changeEdit is the transaction that makes after of before.
func (s *Service) changeEdit(p table.Portal, sc scene, before, after Category) (*edit, error) {
	e := s.edit(p)
	u := e.update(before.ID).If("version = ?", sc.record.Version).Add("version", 1).Set("updated_at", after.UpdatedAt)
	set(u, after)
	e.tx.Update(u, errStale)
	if after.Parent != 0 && after.Parent != before.Parent {
		grow, err := e.growTree(sc.items)
		if err != nil {
			return nil, err
		}
		e.tx.Update(grow, errStale)
	}
	if before.Slug != after.Slug || before.Locale != after.Locale {
		e.disown(before)
		e.own(after)
	}
	for _, l := range without(before.links(), after.links()) {
		e.remove(before.ID, l)
	}
	for _, l := range without(after.links(), before.links()) {
		e.add(before.ID, l)
	}
	return e, nil
}

// set sets the fields.
func set(u *dynamo.Update, c Category) {
	u.Set("name", c.Name).Set("slug", c.Slug).Set("locale", c.Locale)
	orRemove(u, "description", c.Description)
	orRemove(u, "position", c.Position)
	orRemove(u, "parent", nonzero(c.Parent))
	orRemove(u, "root", nonzero(c.Root))
	u.SetNullable("related", places(c.Related)) // an empty one, too: there has to be something to take links from
}

// orRemove sets a field, to the empty string as well.
func orRemove[T any](u *dynamo.Update, name string, value *T) {
	if value == nil {
		u.Remove(name)
	} else {
		u.SetNullable(name, *value)
	}
}

func nonzero(c id.ID) *id.ID {
	if c == 0 {
		return nil
	}
	return &c
}

// keptLinks reads the categories that one links to, but for those that are known.
func (s *Service) keptLinks(ctx context.Context, p table.Portal, c Category, known map[id.ID]record) (map[id.ID]record, error) {
	var unknown []id.ID
	for _, l := range c.links() {
		if _, ok := known[l.target]; !ok {
			unknown = append(unknown, l.target)
		}
	}
	items, err := s.Table.Read(ctx, categoryKeys(p, unknown)...)
	if err != nil {
		return nil, err
	}
	return recordsIn(items, p, unknown)
}
