package category

import (
	"context"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/base/answercache"
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/category/tree"
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
		key := fmt.Sprintf("%q %q %d", who.portal.Key().PK, who.locale, q.Limit)
		if q.After != nil {
			key += q.After.Text()
		}
		response, err := answers.Answer(key, func() (any, time.Time, error) {
			return portals.list(ctx, who, q, r.MaxJSON())
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
	tree.Place
	json []byte
}

// MarshalJSON returns the JSON from [encodePublic].
func (c publicCategory) MarshalJSON() ([]byte, error) { return c.json, nil }

// encodePublic encodes a category for readers. The clone drops the spare capacity of the encoder's buffer, because the
// text stays in memory for a minute.
func encodePublic(v tree.View) (publicCategory, error) {
	text, err := api.Marshal(publicView{View: v})
	return publicCategory{tree.Place{Position: v.Position, ID: v.ID}, slices.Clone(text)}, err
}

// cut returns the part of a locale's sorted list that the cursor and limit of a query ask for. It returns
// errListTooLarge when the JSON takes more than maxJSON bytes.
func cut(list []publicCategory, q tree.Query, maxJSON int) (publicList, error) {
	if q.After != nil {
		next, found := slices.BinarySearchFunc(list, *q.After, func(c publicCategory, after tree.Place) int {
			return c.Compare(after)
		})
		if found {
			next++
		}
		list = list[next:]
	}
	l := publicList{Payload: list}
	if q.Limit > 0 {
		l.Payload, l.Meta.NextCursor = api.CutPage(list, q.Limit, publicCategory.Text)
	}
	left := maxJSON
	for _, c := range l.Payload {
		left -= len(c.json)
		if left < 0 {
			return publicList{}, errListTooLarge
		}
	}
	return l, nil
}
