package unsubscribe

import (
	"context"
	"strings"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/mail/mailkey"
)

const (
	// MaxLimit is the largest page of a list.
	MaxLimit = 1000
	// DefaultLimit is the size of a page for a client that names none.
	DefaultLimit = 100
	// searched is how many unsubscribes a page with a time reads. It bounds the cost when few are that new.
	searched = 4000
)

// ListFunction is the endpoint GET /unsubscribes.
func (s Store) ListFunction() api.Function {
	decode := api.KnownParameters(decodeQuery, "list", "since")
	return api.Function{Handle: mailkey.Endpoint(mailkey.Keys{Table: s.Table}, decode, s.list)}
}

// Query selects unsubscribes. They come in the order of their lists, and within a list in the order of addresses.
type Query struct {
	List  string    // only this list; "" for all lists
	Since time.Time // only those since then; zero for all
	Limit int
	After string // where the previous page ended; "" for the first page
}

func decodeQuery(r *api.Request) (q Query, err error) {
	params := r.QueryStringParameters
	q.List = params["list"]
	if q.List != "" {
		if err := CheckList(q.List); err != nil {
			return q, api.Errorf(api.Malformed, "list %s", err)
		}
	}
	q.Since, err = ParseSince(params["since"])
	if err != nil {
		return q, api.Errorf(api.Malformed, "%s", err)
	}
	q.Limit, err = api.ParseLimit(params, DefaultLimit, MaxLimit)
	if err != nil {
		return q, err
	}
	q.After, err = api.ParseCursor(params, func(text string) (string, bool) {
		return text, strings.HasPrefix(table.Lists+text, q.prefix()) && strings.Contains(text, "#")
	})
	return q, err
}

// prefix is the beginning of all sort keys that the query can find. A cursor outside of it is refused.
func (q Query) prefix() string {
	if q.List == "" {
		return table.Lists
	}
	return table.UnsubscribedFrom(q.List)
}

func (s Store) list(ctx context.Context, _ *api.Request, key mailkey.Key, q Query) (api.Response, error) {
	page, err := s.Page(ctx, key.ID, q)
	if err != nil {
		return api.Response{}, err
	}
	return api.Response{Body: page}, nil
}

// Page reads a page of a mail key's unsubscribes. With Since it reads up to 4,000 of them, and so the page may be
// short, or empty, and still have a next one.
func (s Store) Page(ctx context.Context, mailKey id.ID, q Query) (page api.Page[Unsubscribe], err error) {
	page.Payload = []Unsubscribe{}
	look := q.Limit + 1
	if !q.Since.IsZero() {
		look = searched
	}
	first := table.Unsubscribed(mailKey, "", "")
	first.SK = q.prefix()
	if q.After != "" {
		first.SK = table.Lists + q.After
	}
	items, err := table.QueryAfter[item](ctx, s.Table, first, q.prefix(), look)
	if err != nil {
		return page, err
	}
	end := "" // the last entry that was read; "" if nothing follows it
	for n, i := range items.Items {
		if len(page.Payload) == q.Limit {
			break
		}
		if !i.At.Before(q.Since) {
			page.Payload = append(page.Payload, i.unsubscribe())
		}
		end = ""
		if n < len(items.Items)-1 || items.More() {
			end = strings.TrimPrefix(i.SK, table.Lists)
		}
	}
	page.Meta.NextCursor = api.Cursor(end)
	return page, nil
}

// All reads every unsubscribe that a query finds. It ignores the limit of the query.
func (s Store) All(ctx context.Context, mailKey id.ID, q Query) (all []Unsubscribe, err error) {
	all = []Unsubscribe{} // none is an empty array in JSON
	for q.Limit = MaxLimit; ; {
		page, err := s.Page(ctx, mailKey, q)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Payload...)
		q.After = string(page.Meta.NextCursor)
		if q.After == "" {
			return all, nil
		}
	}
}
