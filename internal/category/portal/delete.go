package portal

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/table"
)

// Deletion is what went with a portal. Where a deletion was interrupted, each run counts what it has deleted itself.
type Deletion struct{ Members, Categories int }

// ErrHasCategories is in the error of a portal that is not deleted because it has categories.
var ErrHasCategories = errors.New("--with-categories deletes them, too")

func errHasCategories(p table.Portal, n int) error {
	return fmt.Errorf("%s has %d categories: %w", p, n, ErrHasCategories)
}

func errDeleting(p table.Portal) error {
	return fmt.Errorf("%s is being deleted: frontdesk portal delete goes on with it", p)
}

func errNotDeleting(p table.Portal) error {
	return fmt.Errorf("%s is being deleted no longer: somebody else has deleted it, or keeps it", p)
}

// Delete deletes a portal with its memberships, and with its categories where that is asked for. One that was
// interrupted is to be repeated.
//
// First the portal is marked: from then on it is nobody's, and gets no member. Then the memberships end. A category
// that is created depends on what it links to or, without links, on the membership of who creates it, so from then on
// only what is deleted changes. The categories follow, and the portal's own record is the last. Each step depends on
// the mark: none deletes what belongs to a portal that is kept, or that was made again with the slug.
func (s Store) Delete(ctx context.Context, key table.Portal, withCategories bool) (d Deletion, err error) {
	p, err := s.read(ctx, key)
	if err != nil {
		return d, err
	}
	mustBeEmpty := func(p Portal) error {
		if withCategories {
			return nil
		}
		return s.mustBeEmpty(ctx, p)
	}
	if err := mustBeEmpty(p); err != nil {
		return d, err
	}
	p, err = s.mark(ctx, p, withCategories)
	if err != nil {
		return d, err
	}
	if err := mustBeEmpty(p); err != nil { // the members are there still
		return d, err
	}
	d.Members, err = s.endMembers(ctx, p)
	if err != nil {
		return d, err
	}
	if err := mustBeEmpty(p); err != nil {
		return d, err
	}
	d.Categories, err = changeset.Clear(ctx, s.Table, key, p.holdDeletion)
	if err != nil {
		return d, err
	}
	tx := s.Table.Tx()
	tx.Delete(s.Table.DeleteItem(key.Key()).If(isDeleting, p.CreatedAt, true), errNotDeleting(key))
	tx.Delete(s.Table.DeleteItem(table.Listed(key.Key())), nil)
	if err := tx.Run(ctx); err != nil {
		return d, fmt.Errorf("delete portal: %w", err)
	}
	return d, nil
}

// isDeleting is the condition on a portal's record that it is the one that was read, and is being deleted.
const isDeleting = "created_at = ? AND deleting = ?"

// holdDeletion adds to a transaction that the portal is the one that was read, and is being deleted.
func (p Portal) holdDeletion(tx *table.Tx) {
	tx.Check(tx.Table().CheckItem(p.Key().Key()).If(isDeleting, p.CreatedAt, true), errNotDeleting(p.Key()))
}

// mark says in a portal's record that it is being deleted and, for good, whether its categories are, too.
func (s Store) mark(ctx context.Context, p Portal, withCategories bool) (marked Portal, err error) {
	u := s.Table.UpdateItem(p.Key().Key()).If("created_at = ?", p.CreatedAt).Set("deleting", true)
	p.Deleting = true
	if withCategories {
		u.Set("clearing", true)
		p.Clearing = true
	}
	tx := s.Table.Tx()
	tx.Update(u, errStale)
	if err := tx.Run(ctx); err != nil {
		return Portal{}, fmt.Errorf("mark portal: %w", err)
	}
	return p, nil
}

// unmark takes the mark of a portal back, unless a deletion of its categories has begun.
func (s Store) unmark(ctx context.Context, p Portal) error {
	tx := s.Table.Tx()
	tx.Update(s.Table.UpdateItem(p.Key().Key()).Remove("deleting").
		If("created_at = ? AND attribute_not_exists(clearing)", p.CreatedAt), errStale)
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("unmark portal: %w", err)
	}
	return nil
}

// mustBeEmpty is for a portal that is deleted without categories. One that has some is kept: they have come while it
// was deleted where it is marked.
func (s Store) mustBeEmpty(ctx context.Context, p Portal) error {
	n, err := changeset.Count(ctx, s.Table, p.Key())
	if err != nil || n == 0 {
		return err
	}
	refusal := errHasCategories(p.Key(), n)
	if !p.Deleting || p.Clearing {
		return refusal
	}
	if err := s.unmark(ctx, p); err != nil {
		return err
	}
	return fmt.Errorf("%w; they came meanwhile, so the portal stays, without the memberships that have ended", refusal)
}

// endMembers ends all memberships of a portal that gets no others, and counts them.
func (s Store) endMembers(ctx context.Context, p Portal) (n int, err error) {
	members, err := s.members(ctx, p.Key())
	if err != nil {
		return 0, err
	}
	for some := range slices.Chunk(members, (table.MaxWrites-1)/2) {
		tx := s.Table.Tx()
		p.holdDeletion(tx)
		for _, m := range some {
			Leave(tx, p.Key(), m.User)
		}
		if err := tx.Run(ctx); err != nil {
			return n, fmt.Errorf("end memberships: %w", err)
		}
		n += len(some)
	}
	return n, nil
}
