package category

import (
	"context"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/answercache"
	"frontdesk/internal/api"
)

// ListPublicFunction is the endpoint GET /public/…/categories.
//
// Readers choose the limit, the cursor and the locale, so these must not decide how much the function reads of the
// table: [publicPortals] decides it. The function also keeps its answers, so that a repeated request needs no encoding.
func (s *Service) ListPublicFunction() api.Function {
	portals := newPublicPortals(s)
	answers := answercache.New(maxKept - maxPortals)
	return api.Function{Header: publicHeader, Handle: func(ctx context.Context, r *api.Request) (api.Response, error) {
		q, err := decodeListQuery(r)
		if err != nil {
			return api.Response{}, err
		}
		who, err := parseReader(r)
		if err != nil {
			return api.Response{}, err
		}
		// The key has the parsed values, so that different spellings of one query share an answer.
		key := fmt.Sprintf("%q %q %d", who.portal.Key().PK, who.locale, q.limit)
		if q.after != nil {
			key += q.after.text()
		}
		response, err := answers.Answer(key, func() (any, time.Time, error) {
			return portals.list(ctx, who, q, newAnswerSize(r))
		})
		response.TooLarge = errListTooLarge
		return response, err
	}}
}

// publicList is a list as readers see it.
type publicList struct {
	Payload []publicCategory `json:"payload"`
	Meta    meta             `json:"meta"`
}

// publicCategory is a category in a public list. Its JSON is encoded once, for all answers that show it.
type publicCategory struct {
	sortKey
	json []byte
}

// MarshalJSON returns the JSON from [encodePublic].
func (c publicCategory) MarshalJSON() ([]byte, error) { return c.json, nil }

// encodePublic encodes a category for readers. The clone drops the spare capacity of the encoder's buffer, because the
// text stays in memory for a minute.
func encodePublic(v view) (publicCategory, error) {
	text, err := api.Marshal(publicView{view: v})
	return publicCategory{sortKey{v.Position, v.ID}, slices.Clone(text)}, err
}

// cut returns the part of a sorted list that the cursor and limit ask for. The list is already one locale's, so cut
// ignores the locale of the query.
func (q listQuery) cut(list []publicCategory, size *answerSize) (publicList, error) {
	if q.after != nil {
		next, found := slices.BinarySearchFunc(list, *q.after, func(c publicCategory, after sortKey) int {
			return c.compare(after)
		})
		if found {
			next++
		}
		list = list[next:]
	}
	l := publicList{Payload: list}
	if q.limit > 0 {
		l.Payload, l.Meta.NextCursor = api.CutPage(list, q.limit, publicCategory.text)
	}
	for _, c := range l.Payload {
		if err := size.add(len(c.json)); err != nil {
			return publicList{}, err
		}
	}
	return l, nil
}
