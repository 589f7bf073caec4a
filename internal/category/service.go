package category

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Service keeps the categories of all portals.
type Service struct{ Table table.Table }

// FromEnvironment builds the service of a function: TABLE_NAME.
func FromEnvironment() (*Service, error) {
	t, err := table.FromEnvironment()
	if err != nil {
		return nil, err
	}
	return &Service{Table: t}, nil
}

// now is the time in UTC, as exact as the API tells it: in milliseconds.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// anew calls change until it does not meet somebody else's, a few times.
func anew[T any](ctx context.Context, change func() (T, error)) (result T, err error) {
	for attempt := range attempts {
		if result, err = change(); !errors.Is(err, errStale) || attempt == attempts-1 {
			return result, err
		}
		select {
		case <-ctx.Done():
			return result, err
		case <-time.After(rand.N(20 * time.Millisecond << attempt)): // so that those who met part
		}
	}
	return result, err
}

// firstPage is how many items of a query are read beside the authentication, before it is known whether the
// caller may see any: a hundred, and one to know whether there are more. (Where the limit is met exactly,
// DynamoDB says that there may be.)
const firstPage = 101

// query reads a page of the items of a portal whose sort keys begin with prefix: at most limit of them, 0 for
// as many as DynamoDB gives. After the last page, next is nil.
func query[T any](ctx context.Context, t table.Table, p table.Portal, prefix string, limit int, after dynamo.PagingKey) (items []T, next dynamo.PagingKey, err error) {
	q := t.Get("PK", p.Key().PK).Range("SK", dynamo.BeginsWith, prefix).Consistent(true).RequestLimit(1)
	if limit > 0 {
		q.SearchLimit(limit)
	}
	if after != nil {
		q.StartFrom(after)
	}
	next, err = q.AllWithLastEvaluatedKey(ctx, &items)
	if err != nil {
		return nil, nil, fmt.Errorf("query %s: %w", prefix, err)
	}
	return items, next, nil
}

// rest reads the pages that follow a first one.
func rest[T any](ctx context.Context, t table.Table, p table.Portal, prefix string, items []T, next dynamo.PagingKey) ([]T, error) {
	for next != nil {
		var more []T
		var err error
		if more, next, err = query[T](ctx, t, p, prefix, 0, next); err != nil {
			return nil, err
		}
		items = append(items, more...)
	}
	return items, nil
}

// recordsIn decodes the categories among items.
func recordsIn(items table.Items, p table.Portal, ids []id.ID) (map[id.ID]record, error) {
	found := map[id.ID]record{}
	for _, c := range ids {
		var r record
		ok, err := items.Get(p.Category(c), &r)
		if err != nil {
			return nil, err
		}
		if ok {
			found[c] = r
		}
	}
	return found, nil
}
