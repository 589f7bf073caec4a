package category

import (
	"context"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/answercache"
	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"golang.org/x/text/unicode/norm"
)

// maxKept is how many bytes of its memory a function keeps for readers who ask for the same.
const maxKept = 64 << 20

// errNotPublic is the one answer for what readers may not see and for what does not exist.
var errNotPublic = api.Errorf(api.NotFound, "There is no such portal or category")

// publicHeader lets the pages of every site read an answer, an error too. Where AllowedOrigins is set, API Gateway
// allows those alone: it takes the headers of functions away.
var publicHeader = map[string]string{
	"access-control-allow-origin":   "*",
	"access-control-expose-headers": "etag, retry-after",
}

// publicView is a category as its readers see it: nothing of accounts, and not when agents began to write it.
type publicView struct {
	view
	AccountID *id.ID `json:"account_id,omitempty"` // never there; like CreatedAt it takes the place of the view's
	CreatedAt *int   `json:"created_at,omitempty"`
}

// reader is who reads in public, and of which portal.
type reader struct {
	portal table.Portal
	locale string // "" for the portal's default
}

func parseReader(r *api.Request) (reader, error) {
	p, ok := portal.ParsePath(r)
	if !ok {
		return reader{}, errNotPublic
	}
	return reader{p, r.QueryStringParameters["locale"]}, nil
}

// readPublic reads, in one round trip, the portal of a reader and more items. It gives the portal if that is public,
// and the reader its locale.
func (s *Service) readPublic(
	ctx context.Context, who *reader, more ...table.Key,
) (portal.Portal, table.Items, error) {
	items, err := s.Table.Read(ctx, append(more, who.portal.Key())...)
	if err != nil {
		return portal.Portal{}, nil, err
	}
	p, ok, err := portal.Public(items, who.portal)
	if err == nil && !ok {
		err = errNotPublic
	}
	if who.locale == "" {
		who.locale = p.DefaultLocale
	}
	return p, items, err
}

// ShowPublicFunction is the endpoint GET /public/…/categories/{category_slug}.
func (s *Service) ShowPublicFunction() api.Function {
	answers := answercache.New(maxKept)
	return api.Function{Header: publicHeader, Handle: func(ctx context.Context, r *api.Request) (api.Response, error) {
		who, err := parseReader(r)
		if err != nil {
			return api.Response{}, err
		}
		slug := r.PathParameters["category_slug"]
		key := fmt.Sprintf("%q %q %q", who.portal.Key().PK, who.locale, slug)
		return answers.Answer(key, func() (any, time.Time, error) {
			began := time.Now().Round(0)
			shown, err := s.showPublic(ctx, who, slug)
			return shown, began, err
		})
	}}
}

// showPublic reads who has the slug together with the portal where the locale is known, else after it.
func (s *Service) showPublic(ctx context.Context, who reader, slug string) (any, error) {
	// Slugs are in NFC, but for those from before that was a rule.
	owners := func() (keys []table.Key) {
		for _, spelling := range slices.Compact([]string{slug, norm.NFC.String(slug)}) {
			keys = append(keys, who.portal.SlugOwner(who.locale, spelling))
		}
		return keys
	}
	var first []table.Key
	if who.locale != "" {
		first = owners()
	}
	p, items, err := s.readPublic(ctx, &who, first...)
	if err == nil && first == nil {
		items, err = s.Table.Read(ctx, owners()...)
	}
	if err != nil {
		return nil, err
	}
	for _, k := range owners() {
		var owner changeset.SlugOwner
		found, err := items.Get(k, &owner)
		if err != nil {
			return nil, err
		}
		if found {
			return s.showOwner(ctx, p, owner)
		}
	}
	return nil, errNotPublic
}

// showOwner answers the category that a slug was found to be of.
func (s *Service) showOwner(ctx context.Context, p portal.Portal, owner changeset.SlugOwner) (any, error) {
	key := p.Key().Category(owner.Category)
	items, err := s.Table.Read(ctx, key)
	if err != nil {
		return nil, err
	}
	var r changeset.Record
	if _, err := items.Get(key, &r); err != nil {
		return nil, err
	}
	if p.Key().SlugOwner(r.Locale, r.Slug) != owner.Key { // it was deleted or renamed meanwhile
		return nil, errNotPublic
	}
	v, err := s.readView(ctx, p, r)
	if err != nil {
		return nil, err
	}
	return struct {
		Payload publicView `json:"payload"`
	}{publicView{view: v}}, nil
}
