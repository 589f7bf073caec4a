package category

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"

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

func parseListQuery(params map[string]string) (q listQuery, err error) {
	q.locale = params["locale"]
	if limit := params["limit"]; limit != "" {
		if q.limit, err = strconv.Atoi(limit); err != nil || q.limit < 1 || q.limit > MaxLimit {
			return q, api.Errorf(api.Malformed, "limit must be an integer from 1 to %d", MaxLimit)
		}
	}
	if cursor := params["cursor"]; cursor != "" {
		q.after = new(sortKey)
		text, err := base64.RawURLEncoding.DecodeString(cursor)
		if err != nil || json.Unmarshal(text, q.after) != nil {
			return q, api.Errorf(api.Malformed, "cursor must be the next_cursor of an answer")
		}
	}
	return q, nil
}

// page is the page of a sorted list that is asked for, and the cursor of the next one. A cursor is a sort key, not an
// index, so that categories which come and go between two pages shift nothing.
func (q listQuery) page(sorted []changeset.Record) (page []changeset.Record, next string) {
	if q.after != nil {
		at, _ := slices.BinarySearchFunc(sorted, *q.after, func(r changeset.Record, after sortKey) int {
			if sortKeyOf(r).compare(after) <= 0 {
				return -1
			}
			return 1
		})
		sorted = sorted[at:]
	}
	if q.limit == 0 || len(sorted) <= q.limit {
		return sorted, ""
	}
	page = sorted[:q.limit]
	text, _ := json.Marshal(sortKeyOf(page[len(page)-1])) // two integers can be encoded
	return page, base64.RawURLEncoding.EncodeToString(text)
}

// sortKey is by what a list is sorted. Cursors hold it as JSON.
type sortKey struct {
	Position *int64
	ID       id.ID
}

func sortKeyOf(r changeset.Record) sortKey { return sortKey{r.Position, r.ID} }

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
