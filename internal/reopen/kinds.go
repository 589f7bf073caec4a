package reopen

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// keyAlone is an item of which it counts that it is there.
type keyAlone struct{ table.Key }

// Gone is the rule of a kind whose items are deleted alone when they end.
func Gone(kind string) Rule {
	return Kind[keyAlone]{Name: kind, Judge: func(_ context.Context, i Item[keyAlone]) (Ending, error) {
		if i.Later != nil {
			return Ending{}, nil
		}
		return remove(kind, i.Key), nil
	}}.Rule()
}

// Void is the rule of a kind that ends in any case, because nobody knows what has become of its items.
func Void(kind string) Rule {
	return Kind[keyAlone]{Name: kind, Judge: func(_ context.Context, i Item[keyAlone]) (Ending, error) {
		return remove(kind, i.Key), nil
	}}.Rule()
}

// remove names the item by its partition: the rest of its key may have the digest of a secret.
func remove(kind string, k table.Key) Ending {
	return Ending{
		Says: fmt.Sprintf("%s of %q", kind, k.PK),
		End: func(ctx context.Context, t table.Table) error {
			_, err := t.DeleteAll(ctx, k)
			return err
		},
	}
}

// Pair are the rules of a kind that stands in the table twice, as [table.Key.Mirror] says, and of its other side. Both
// sides are deleted together: where one is there later, the other one is lost.
func Pair(kind, mirror string) []Rule {
	judge := func(ctx context.Context, i Item[keyAlone]) (Ending, error) {
		if i.Later != nil {
			return Ending{}, nil
		}
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

// Update is an ending by one update of an item that is there.
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

// Revoked ends a credential that is revoked by [table.Table.Revoke], at the time at which it was.
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
