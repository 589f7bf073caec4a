package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"frontdesk/internal/table"
	"frontdesk/internal/table/itemjson"

	"github.com/guregu/dynamo/v2"
)

// Writes are the items that a repair writes, by their keys. [Recheck] must have read each of them. The value nil
// deletes the item, a [Set] changes some attributes, and anything else is the whole new item.
type Writes map[table.Key]any

// Set maps names of attributes to their new values. The value nil removes the attribute.
type Set map[string]any

// changes combines the writes with the items that were read. Items that are only read are included, as conditions.
func (w Writes) changes(keys []table.Key, read table.Items) (changes []change, err error) {
	seen := map[table.Key]bool{}
	for _, k := range keys {
		if seen[k] || !k.Fits() {
			continue
		}
		seen[k] = true
		c := change{key: k, Before: itemjson.Document(read[k])}
		c.After = c.Before
		if written, ok := w[k]; ok {
			c.After, err = itemAfter(read[k], written)
			if err != nil {
				return nil, fmt.Errorf("encode %s: %w", k, err)
			}
		}
		changes = append(changes, c)
	}
	for k := range w {
		if !seen[k] {
			return nil, fmt.Errorf("the repair writes %s, which it has not read", k)
		}
	}
	return changes, nil
}

// itemAfter returns the item as a write of [Writes] leaves it.
func itemAfter(before dynamo.Item, written any) (itemjson.Document, error) {
	set, isSet := written.(Set)
	switch {
	case written == nil:
		return nil, nil
	case !isSet:
		item, err := dynamo.MarshalItem(written)
		return itemjson.Document(item), err
	}
	after := itemjson.Document(maps.Clone(before))
	for name, value := range set {
		if value == nil {
			delete(after, name)
			continue
		}
		var err error
		after[name], err = dynamo.Marshal(value)
		if err != nil {
			return nil, err
		}
	}
	return after, nil
}

// change is the state of an item before and after a repair; nil means no item. If both are equal, the item is not
// written, but the repair depends on it.
type change struct {
	key    table.Key
	Before itemjson.Document `json:"before"`
	After  itemjson.Document `json:"after,omitempty"`
}

// loses reports whether the change deletes or overwrites anything of the item.
func (c change) loses() bool { return c.Before != nil && !reflect.DeepEqual(c.Before, c.After) }

// errChanged means that the items are no longer as they were read.
var errChanged = errors.New("the items have changed")

// apply makes all changes in one transaction, or none. It returns errChanged if an item is not in its state before.
func apply(ctx context.Context, t table.Table, changes ...change) error {
	tx := t.Tx().Passing() // the items may become again what they were
	for _, c := range changes {
		switch {
		case reflect.DeepEqual(c.Before, c.After):
			tx.Check(ifSame(t.CheckItem(c.key), c.Before), errChanged)
		case c.After == nil:
			tx.Delete(ifSame(t.DeleteItem(c.key), c.Before), errChanged)
		case c.Before == nil:
			tx.Put(ifSame(t.Put(dynamo.Item(c.After)), nil), errChanged)
		default:
			tx.Update(c.update(ifSame(t.UpdateItem(c.key), c.Before)), errChanged)
		}
	}
	return tx.Run(ctx)
}

// ifSame makes a write conditional on the item having these attributes, or on there being no item if it is nil.
func ifSame[W interface{ If(string, ...any) W }](write W, item itemjson.Document) W {
	if item == nil {
		return write.If("attribute_not_exists(PK)")
	}
	for _, name := range slices.Sorted(maps.Keys(item)) {
		write = write.If("$ = ?", name, item[name])
	}
	return write
}

// update writes the attributes that differ. An attribute that somebody added meanwhile stays; if it is one of those to
// write, the condition fails.
func (c change) update(u *dynamo.Update) *dynamo.Update {
	for name := range c.Before {
		if c.After[name] == nil {
			u.RemoveExpr("$", name)
		}
	}
	for name, value := range c.After {
		if c.Before[name] == nil {
			u.If("attribute_not_exists($)", name)
		}
		if !reflect.DeepEqual(c.Before[name], value) {
			u.SetExpr("$ = ?", name, value)
		}
	}
	return u
}

// repair repairs the fault. It returns what it did, or why it did nothing. The error is that of the file: if items
// cannot be saved, nothing is written.
func (f *Fault) repair(ctx context.Context, t table.Table, s *saved) (mended, unmended string, err error) {
	switch {
	case f.Writes == nil:
		return "", "what is right is for a person to decide", nil
	case len(f.changes) > table.MaxWrites:
		return "", fmt.Sprintf("it is of %d items, and a transaction takes %d", len(f.changes), table.MaxWrites), nil
	}
	before := s.length
	if err := s.save(f.changes); err != nil {
		return "", "", fmt.Errorf("save what a repair changes: %w", err)
	}
	// The file is written first. So if the process dies in between, the file has too much rather than too little.
	switch err := apply(ctx, t, f.changes...); {
	case err == nil:
		return f.Did, "", nil
	case errors.Is(err, errChanged) && !errors.Is(err, table.ErrUnknown):
		return "", "it changed meanwhile", s.cut(before)
	default: // an unanswered attempt may have been applied or may still arrive, so the items stay in the file
		return "", err.Error(), nil
	}
}
