package reopen

import (
	"context"
	"errors"

	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// damage is an item that cannot be read. What hangs on it is for a person to decide.
type damage struct{ error }

// damagedItem is what a list has of an item that could not be read.
type damagedItem struct {
	table.Key
	Damaged bool `dynamo:"damaged"`
}

// decode decodes an item into out, a pointer to a struct. Its error is a [damage].
func decode(item dynamo.Item, out any) error {
	if _, marked := item["damaged"]; marked {
		return damage{errors.New(table.KeyOf(item).Kind() + " could not be read when the list was written")}
	}
	if err := table.Decode(item, out); err != nil {
		return damage{err}
	}
	return nil
}

// Get reads an item and decodes it into out, a pointer to a struct; found is false where there is none. A rule returns
// the error as it is: where the item is damaged, a person decides.
func Get(ctx context.Context, read Read, k table.Key, out any) (found bool, err error) {
	items, err := read(ctx, k)
	if err != nil || items[k] == nil {
		return false, err
	}
	err = decode(items[k], out)
	return err == nil, err
}
