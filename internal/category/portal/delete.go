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

// Delete deletes a portal with its memberships, and with its categories where that is asked for. One that was
// interrupted is to be repeated.
//
// First the portal is marked: from then on it is nobody's, and gets no member. Then the memberships end. A category
// that is created depends on what it links to or, without links, on the membership of who creates it, so from then on
// only what is deleted changes. The categories follow, and the portal's own record is the last.
func (s Store) Delete(ctx context.Context, key table.Portal, withCategories bool) (d Deletion, err error) {
	p, err := s.read(ctx, key)
	if err != nil {
		return d, err
	}
	categories, err := changeset.Count(ctx, s.Table, key)
	if err != nil {
		return d, err
	}
	if categories > 0 && !withCategories {
		return d, errHasCategories(key, categories)
	}
	if err := s.mark(ctx, p, true); err != nil {
		return d, err
	}
	d.Members, err = s.endMembers(ctx, key)
	if err != nil {
		return d, err
	}
	if !withCategories {
		if err := s.mustBeEmpty(ctx, p); err != nil {
			return d, err
		}
	}
	d.Categories, err = changeset.Clear(ctx, s.Table, key)
	if err != nil {
		return d, err
	}
	tx := s.Table.Tx()
	tx.Delete(s.Table.DeleteItem(key.Key()).If("created_at = ? AND deleting = ?", p.CreatedAt, true), errStale)
	tx.Delete(s.Table.DeleteItem(table.Listed(key.Key())), nil)
	if err := tx.Run(ctx); err != nil {
		return d, fmt.Errorf("delete portal: %w", err)
	}
	return d, nil
}

// mark says in a portal's record whether it is being deleted.
func (s Store) mark(ctx context.Context, p Portal, deleting bool) error {
	u := s.Table.UpdateItem(p.Key().Key()).If("created_at = ?", p.CreatedAt)
	if deleting {
		u.Set("deleting", true)
	} else {
		u.Remove("deleting")
	}
	tx := s.Table.Tx()
	tx.Update(u, errStale)
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("mark portal: %w", err)
	}
	return nil
}

// mustBeEmpty is for a portal that had no categories before its memberships ended. Where a member has created one until
// then, the portal stays.
func (s Store) mustBeEmpty(ctx context.Context, p Portal) error {
	n, err := changeset.Count(ctx, s.Table, p.Key())
	if err != nil || n == 0 {
		return err
	}
	if err := s.mark(ctx, p, false); err != nil {
		return err
	}
	return fmt.Errorf("%w; they came meanwhile, so the portal stays, without its members",
		errHasCategories(p.Key(), n))
}

// endMembers ends all memberships of a portal that gets no others, and counts them.
func (s Store) endMembers(ctx context.Context, key table.Portal) (n int, err error) {
	members, err := s.members(ctx, key)
	if err != nil {
		return 0, err
	}
	for some := range slices.Chunk(members, table.MaxWrites/2) {
		tx := s.Table.Tx()
		for _, m := range some {
			Leave(tx, key, m.User)
		}
		if err := tx.Run(ctx); err != nil {
			return n, fmt.Errorf("end memberships: %w", err)
		}
		n += len(some)
	}
	return n, nil
}
