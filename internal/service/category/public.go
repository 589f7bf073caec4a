package category

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/base/answercache"
	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/category/tree"

	"golang.org/x/text/unicode/norm"
)

// maxKept is how many bytes a public function keeps in memory for readers who ask for the same again.
const maxKept = 64 << 20

// errNotPublic is the one answer for what readers may not see and for what does not exist. So nobody can find out which
// private portals exist.
var errNotPublic = api.Errorf(api.NotFound, "There is no such portal or category")

// publicHeader lets pages of every site read the answers, errors too. Where AllowedOrigins is set, API Gateway removes
// these headers of the function and allows only those origins.
var publicHeader = map[string]string{
	"access-control-allow-origin":   "*",
	"access-control-expose-headers": "etag, retry-after",
}

// publicView is a category as readers see it: without its account, and without its time of creation.
type publicView struct {
	tree.View
	AccountID *id.ID `json:"account_id,omitempty"` // always nil: it and CreatedAt hide the view's fields
	CreatedAt *int   `json:"created_at,omitempty"`
}

// reader is a request of a reader: for which portal and locale. A reader sends no credential.
type reader struct {
	portal table.Portal
	locale string // in its normal form; "" means the portal's default
}

// parseReader reads the portal from the path. A malformed path gets the same answer as a portal that does not exist.
func parseReader(r *api.Request) (reader, error) {
	p, ok := portal.ParsePath(r)
	if !ok {
		return reader{}, errNotPublic
	}
	return reader{p, portal.NormalLocale(r.QueryStringParameters["locale"])}, nil
}

// readPublic reads a reader's portal and more items in one round trip. It returns errNotPublic unless the portal is
// public. It also sets the reader's locale to the portal's default where the reader named none.
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
		who.locale = portal.NormalLocale(p.DefaultLocale)
	}
	return p, items, err
}

// ShowPublicFunction is the endpoint GET /public/…/categories/{category_slug}. It answers from memory for a minute.
func (s *Service) ShowPublicFunction() api.Function {
	answers := answercache.New(maxKept)
	return api.Function{Header: publicHeader, Handle: func(ctx context.Context, r *api.Request) (api.Response, error) {
		who, err := parseReader(r)
		if err != nil {
			return api.Response{}, err
		}
		slug := r.PathParameters["category_slug"]
		key := fmt.Sprintf("%q %q %q", who.portal.Key().PK, who.locale, slug)
		return fromMemory(answers, key, func() (any, error) { return s.showPublic(ctx, who, slug) })
	}}
}

// fromMemory answers with what is kept for a key, or with what read returns. The age counts from before the read.
func fromMemory(answers *answercache.Cache, key string, read func() (any, error)) (api.Response, error) {
	return answers.Answer(key, func() (any, time.Time, error) {
		began := time.Now().Round(0) // without the monotonic clock, which stands still while Lambda freezes the process
		value, err := read()
		return value, began, err
	})
}

// showPublic finds the category of a slug. With a locale in the query, it reads the slug's owner in the same round trip
// as the portal; otherwise one later, because the portal names its default locale.
func (s *Service) showPublic(ctx context.Context, who reader, slug string) (any, error) {
	// Slugs are stored in NFC (Unicode normalization form C).
	claim := func() table.Key { return who.portal.SlugOwner(who.locale, norm.NFC.String(slug)) }
	var first []table.Key
	if who.locale != "" {
		first = []table.Key{claim()}
	}
	p, items, err := s.readPublic(ctx, &who, first...)
	if err == nil && first == nil {
		items, err = s.Table.Read(ctx, claim())
	}
	if err != nil {
		return nil, err
	}
	var owner changeset.SlugOwner
	found, err := items.Get(claim(), &owner)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, errNotPublic
	}
	return s.showOwner(ctx, p, owner)
}

// showOwner answers the category that owns a slug.
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
	if p.Key().SlugOwner(r.Locale, r.Slug) != owner.Key { // deleted or renamed between the two reads
		return nil, errNotPublic
	}
	v, err := s.readView(ctx, p, r)
	if err != nil {
		return nil, err
	}
	return struct {
		Payload publicView `json:"payload"`
	}{publicView{View: v}}, nil
}
