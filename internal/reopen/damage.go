package reopen

import (
	"context"
	"errors"

	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// damage is the error for an item that cannot be decoded. A person has to decide about everything that depends on it.
type damage struct{ error }

// damagedItem stands in a list for an item that could not be decoded.
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

// Get reads the item with key k and decodes it into out, a pointer to a struct. Found is false if there is none. A rule
// has to return the error unchanged: if the item is damaged, the item is left to a person.
func Get(ctx context.Context, read Read, k table.Key, out any) (found bool, err error) {
	items, err := read(ctx, k)
	if err != nil || items[k] == nil {
		return false, err
	}
	err = decode(items[k], out)
	return err == nil, err
}
