package category

import (
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/table"
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

// firstPage is how many items of a query are read beside the authentication, before it is known whether the
// caller may see any: a hundred, and one to know whether there are more. (Where the limit is met exactly,
// DynamoDB says that there may be.)
const firstPage = 101

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
