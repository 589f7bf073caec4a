package category

import (
	"cmp"
	"encoding/json"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/id"
)

// MaxLimit is the largest limit that a client may set.
const MaxLimit = 1000

// listQuery is a parsed query string of a list.
type listQuery struct {
	locale string   // "" means every locale
	limit  int      // 0 means no limit
	after  *sortKey // the cursor; nil starts at the beginning
}

// decodeListQuery reads locale, limit (1 to [MaxLimit]) and cursor. It ignores parameters that do not exist. A locale
// that the portal does not have is no error: its list is empty.
func decodeListQuery(r *api.Request) (q listQuery, err error) {
	params := r.QueryStringParameters
	q.locale = params["locale"]
	q.limit, err = api.ParseLimit(params, 0, MaxLimit)
	if err != nil {
		return q, err
	}
	q.after, err = api.ParseCursor(params, parseSortKey)
	return q, err
}

// sortKey orders the categories of a list. A cursor is the sort key, as JSON, of the last category of the page before.
// It does not depend on what was deleted or added in front of it.
type sortKey struct {
	Position *int64
	ID       id.ID
}

func sortKeyOf(r changeset.Record) sortKey { return sortKey{r.Position, r.ID} }

// text encodes the key as JSON.
func (k sortKey) text() string {
	text, _ := json.Marshal(k) // two integers can be encoded
	return string(text)
}

// parseSortKey reads the JSON of a cursor. Clients can make up cursors, so it also checks the range of the id.
func parseSortKey(text string) (k *sortKey, ok bool) {
	k = new(sortKey)
	err := json.Unmarshal([]byte(text), k)
	return k, err == nil && k.ID >= 0 && k.ID <= id.Max
}

// compare orders by position, then by id. A category without a position comes after all that have one.
func (k sortKey) compare(l sortKey) int {
	switch {
	case k.Position == nil && l.Position != nil:
		return 1
	case k.Position != nil && l.Position == nil:
		return -1
	case k.Position != nil && *k.Position != *l.Position:
		return cmp.Compare(*k.Position, *l.Position)
	}
	return cmp.Compare(k.ID, l.ID)
}
