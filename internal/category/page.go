package category

import (
	"cmp"
	"encoding/base64"
	"encoding/json"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/id"
)

// MaxLimit is the largest page of a list that a client may ask for.
const MaxLimit = 1000

// listQuery is what the query string of a list asks for.
type listQuery struct {
	locale string   // "" for all
	limit  int      // 0 for all
	after  *sortKey // nil for the beginning
}

func decodeListQuery(r *api.Request) (q listQuery, err error) {
	params := r.QueryStringParameters
	q.locale = params["locale"]
	if q.limit, err = api.ParseLimit(params, 0, MaxLimit); err != nil {
		return q, err
	}
	if cursor := params["cursor"]; cursor != "" {
		q.after = new(sortKey)
		text, err := base64.RawURLEncoding.DecodeString(cursor)
		if err != nil || json.Unmarshal(text, q.after) != nil || q.after.ID < 0 || q.after.ID > id.Max {
			return q, api.ErrCursor
		}
	}
	return q, nil
}

// sortKey is by what a list is sorted. A cursor is the one of the last category before it, as JSON, and no index, so
// that categories which come and go between two pages shift nothing.
type sortKey struct {
	Position *int64
	ID       id.ID
}

func sortKeyOf(r changeset.Record) sortKey { return sortKey{r.Position, r.ID} }

func (k sortKey) cursor() string {
	text, _ := json.Marshal(k) // two integers can be encoded
	return base64.RawURLEncoding.EncodeToString(text)
}

// compare sorts categories without a position last.
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
