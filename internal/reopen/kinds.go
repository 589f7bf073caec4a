package reopen

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// keyAlone is an item of which only the existence matters.
type keyAlone struct{ table.Key }

// Gone returns the rule for a kind that ends only by deletion: a restored item that is missing later has ended.
func Gone(kind string) Rule {
	return Kind[keyAlone]{Name: kind, Judge: func(_ context.Context, i Item[keyAlone]) (Ending, error) {
		if i.Later != nil {
			return Ending{}, nil
		}
		return remove(kind, i.Key), nil
	}}.Rule()
}

// Void returns the rule for a kind that always ends, because nobody knows what became of its items.
func Void(kind string) Rule {
	return Kind[keyAlone]{Name: kind, Judge: func(_ context.Context, i Item[keyAlone]) (Ending, error) {
		return remove(kind, i.Key), nil
	}}.Rule()
}

// remove returns the ending that deletes an item. It names only the partition: the rest of the key may contain the
// digest of a secret.
func remove(kind string, k table.Key) Ending {
	return Ending{
		Says: fmt.Sprintf("%s of %q", kind, k.PK),
		End: func(ctx context.Context, t table.Table) error {
			_, err := t.DeleteAll(ctx, k)
			return err
		},
	}
}

// Pair returns the rules for a kind that the table stores twice (see [table.Key.Mirror]) and for its mirror. Both sides
// are deleted together. So if both are missing later the item has ended, and if only one is missing it was lost.
func Pair(kind, mirror string) []Rule {
	judge := func(ctx context.Context, i Item[keyAlone]) (Ending, error) {
		if i.Later != nil {
			return Ending{}, nil
		}
		// A mirror that is still there is a sign of loss: a deletion takes both in one transaction.
		other, err := i.From.Read(ctx, i.Key.Mirror())
		if err != nil {
			return Ending{}, err
		}
		if len(other) > 0 {
			return Lost("one side of the %s %s", kind, i.Key), nil
		}
		return Ending{
			Says: fmt.Sprintf("%s %s", kind, i.Key),
			End: func(ctx context.Context, t table.Table) error {
				tx := t.Tx()
				tx.Delete(t.DeleteItem(i.Key), nil)
				tx.Delete(t.DeleteItem(i.Key.Mirror()), nil)
				return tx.Run(ctx)
			},
		}, nil
	}
	return []Rule{Kind[keyAlone]{Name: kind, Judge: judge}.Rule(), Kind[keyAlone]{Name: mirror}.Rule()}
}

// Update returns an ending that updates an existing item.
func Update(k table.Key, change func(*dynamo.Update), format string, args ...any) Ending {
	return Ending{Says: fmt.Sprintf(format, args...), End: func(ctx context.Context, t table.Table) error {
		u := t.UpdateItem(k).If("attribute_exists(PK)")
		change(u)
		tx := t.Tx()
		tx.Update(u, errGone)
		return tx.Run(ctx)
	}}
}

var errGone = errors.New("it was deleted meanwhile")

// Revoked returns an ending that revokes a credential by [table.Table.Revoke], as of the time when it was revoked.
func Revoked(k table.Key, at time.Time, format string, args ...any) Ending {
	return Ending{
		Says: fmt.Sprintf(format, args...) + " was revoked",
		End: func(ctx context.Context, t table.Table) error {
			var revoked keyAlone
			_, err := t.Revoke(ctx, k, at, &revoked)
			return err
		},
	}
}
