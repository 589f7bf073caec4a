package category

import (
	"cmp"
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
	q.limit, err = api.ParseLimit(params, 0, MaxLimit)
	if err != nil {
		return q, err
	}
	q.after, err = api.ParseCursor(params, parseSortKey)
	return q, err
}

// sortKey is by what a list is sorted. A cursor is the one of the last category before it, as JSON.
type sortKey struct {
	Position *int64
	ID       id.ID
}

func sortKeyOf(r changeset.Record) sortKey { return sortKey{r.Position, r.ID} }

// text is the key as JSON.
func (k sortKey) text() string {
	text, _ := json.Marshal(k) // two integers can be encoded
	return string(text)
}

func parseSortKey(text string) (k *sortKey, ok bool) {
	k = new(sortKey)
	err := json.Unmarshal([]byte(text), k)
	return k, err == nil && k.ID >= 0 && k.ID <= id.Max
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
