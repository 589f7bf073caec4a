package portal

// This file is for operators: no endpoint calls it.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/service/category/changeset"
)

// Deletion counts what a deletion has deleted with the portal. After an interruption, each run counts only its
// own part.
type Deletion struct{ Members, Categories int }

// ErrHasCategories is wrapped by the error for a portal that is kept because it has categories.
var ErrHasCategories = errors.New("--with-categories deletes them, too")

func errHasCategories(p table.Portal, n int) error {
	return fmt.Errorf("%s has %d categories: %w", p, n, ErrHasCategories)
}

func errDeleting(p table.Portal) error {
	return fmt.Errorf("%s is being deleted: frontdesk portal delete goes on with it", p)
}

func errNotDeleting(p table.Portal) error {
	return fmt.Errorf("%s is no longer being deleted: somebody else has finished the deletion, or taken it back", p)
}

// Delete deletes a portal with its memberships, and with its categories if withCategories is set. An interrupted Delete
// must be repeated.
//
// First it marks the portal: from then on nobody can use it, and it gets no new members. Then it ends the memberships.
// A new category depends on a category that it links to or, without links, on its creator's membership, so from then on
// nothing is added. Then it deletes the categories, and last the portal's own record. Each step depends on the mark, so
// none deletes what belongs to a portal that is kept, or to a new portal with the same slug.
//
// Delete finds members and categories by queries, which may miss what a transaction under way has just written. So a
// portal counts as empty only when it was empty twice, with a second in between: [Store.Settle].
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
	if err := mustBeEmpty(p); err != nil { // before any member loses access
		return d, err
	}
	d.Members, err = s.endMembers(ctx, p)
	if err != nil {
		return d, err
	}
	if err := mustBeEmpty(p); err != nil {
		return d, err
	}
	if !withCategories {
		if err := s.settle(ctx); err != nil {
			return d, err
		}
		if err := mustBeEmpty(p); err != nil {
			return d, err
		}
	}
	d.Categories, err = changeset.Clear(ctx, s.Table, key, p.requireDeleting, s.settle)
	if err != nil {
		return d, err
	}
	tx := s.Table.Tx()
	tx.Delete(s.Table.DeleteItem(key.Key()).If(isDeleting, p.CreatedAt, true), errNotDeleting(key))
	tx.Delete(s.Table.DeleteItem(table.DirectoryEntry(key.Key())), nil)
	if err := tx.Run(ctx); err != nil {
		return d, fmt.Errorf("delete portal: %w", err)
	}
	return d, nil
}

// settle waits until a query shows every transaction that was under way before.
func (s Store) settle(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(cmp.Or(s.Settle, time.Second)):
		return nil
	}
}

// isDeleting is the condition that a portal's record is the one that was read, and is marked.
const isDeleting = "created_at = ? AND deleting = ?"

// requireDeleting adds to a transaction the condition that the portal is the one that was read, and is marked.
func (p Portal) requireDeleting(tx *table.Tx) {
	tx.Check(tx.Table().CheckItem(p.Key().Key()).If(isDeleting, p.CreatedAt, true), errNotDeleting(p.Key()))
}

// mark notes in a portal's record that it is being deleted. With withCategories it also notes, for good, that the
// categories are deleted, too.
func (s Store) mark(ctx context.Context, p Portal, withCategories bool) (marked Portal, err error) {
	u := s.Table.UpdateItem(p.Key().Key()).If("created_at = ?", p.CreatedAt).Set("deleting", true)
	p.Deleting = true
	if withCategories {
		u.Set("clearing", true)
		p.Clearing = true
	}
	tx := s.Table.Tx()
	tx.Update(u, table.Final(errStale))
	if err := tx.Run(ctx); err != nil {
		return Portal{}, fmt.Errorf("mark portal: %w", err)
	}
	return p, nil
}

// unmark takes the mark back, unless a deletion of the categories has begun.
func (s Store) unmark(ctx context.Context, p Portal) error {
	tx := s.Table.Tx()
	tx.Update(s.Table.UpdateItem(p.Key().Key()).Remove("deleting").
		If("created_at = ? AND attribute_not_exists(clearing)", p.CreatedAt), table.Final(errStale))
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("unmark portal: %w", err)
	}
	return nil
}

// mustBeEmpty refuses to delete a portal that has categories. If the portal is already marked, they were created
// meanwhile, and mustBeEmpty takes the mark back.
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
	return fmt.Errorf("%w; they were created meanwhile, so the portal stays; ended memberships do not return", refusal)
}

// endMembers ends all memberships of a marked portal, which gets no new ones, and counts them. Each takes two of the
// 100 operations of a transaction, and the condition on the mark takes one.
func (s Store) endMembers(ctx context.Context, p Portal) (n int, err error) {
	members, err := s.members(ctx, p.Key())
	if err != nil {
		return 0, err
	}
	for some := range slices.Chunk(members, (table.MaxWrites-1)/2) {
		tx := s.Table.Tx()
		p.requireDeleting(tx)
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
