package category

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/answercache"
	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/table"
)

const (
	// maxPortals is how many bytes of JSON are kept of all portals together. The rest of maxKept is for answers.
	maxPortals = 48 << 20
	// maxPortal is how many bytes of JSON are kept of one portal. A query reads 1 MB, so filling it takes some
	// 16 calls.
	maxPortal = 16 << 20
	// maxSmall is the most categories of a small portal: as many as the largest page shows. Reading all of them costs
	// about as much as that page.
	maxSmall = MaxLimit
	// maxSingle is how many categories of one portal are read within a minute for pages that are read by themselves.
	// The page that reaches it is still read.
	maxSingle = 5000
)

// publicPortals keeps for a minute what its process has read of public portals. What it reads does not depend on the
// pages that readers ask for, so invented limits, cursors and locales do not make it read more:
//
//   - For the first page of a small portal it reads all categories, and cuts every page out of them.
//   - For the first page of a large portal it reads this page alone. All categories would take long, and perhaps nobody
//     asks for another page. For the second page it reads all categories, or goes on page by page where that fails.
//   - For a portal that is too large for the memory it reads each page by itself, up to maxSingle categories.
//
// It never drops what is fresh. Otherwise readers could make two portals push each other out, and the function would
// read them again and again.
type publicPortals struct {
	service *Service
	mu      sync.Mutex // held during reads, so that two requests do not read the same
	kept    map[table.Portal]*publicPortal
	// sizes has the portals that are not small. It keeps them as long as the process lives, because finding out a size
	// means reading as much as can be kept.
	sizes map[table.Portal]portalSize
}

// publicPortal is what is kept of one portal.
type publicPortal struct {
	portal.Portal
	at     time.Time                   // when it was read, by the wall clock; its categories were read later
	lists  map[string][]publicCategory // all categories by locale; nil unless all were read
	bytes  int                         // size of the JSON in lists
	read   int                         // categories read for single pages; each page counts one more
	failed bool                        // whether reading all categories has failed
}

// portalSize says when to read all categories of a portal.
type portalSize int

const (
	small    portalSize = iota // for the first page
	large                      // for the second page
	tooLarge                   // never
)

func newPublicPortals(s *Service) *publicPortals {
	return &publicPortals{
		service: s, kept: map[table.Portal]*publicPortal{}, sizes: map[table.Portal]portalSize{},
	}
}

// list answers a query. The time is when the oldest part of the answer was read.
func (k *publicPortals) list(
	ctx context.Context, who reader, q listQuery, size *answerSize,
) (publicList, time.Time, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p, err := k.portal(ctx, who)
	if err != nil {
		return publicList{}, time.Time{}, err
	}
	q.locale = cmp.Or(who.locale, p.DefaultLocale)
	if !slices.Contains(p.EveryLocale(), q.locale) {
		return publicList{Payload: []publicCategory{}}, p.at, nil
	}
	lists, err := k.lists(ctx, p)
	if err != nil {
		return publicList{}, p.at, err
	}
	if lists == nil {
		page, err := k.readPage(ctx, p, q, size)
		return page, p.at, err
	}
	page, err := q.cut(lists[q.locale], size)
	return page, p.at, err
}

// portal returns a reader's portal, or errNotPublic. It keeps public portals alone, so that a portal shows as soon as
// its operator makes it public.
func (k *publicPortals) portal(ctx context.Context, who reader) (*publicPortal, error) {
	now := time.Now().Round(0)
	maps.DeleteFunc(k.kept, func(_ table.Portal, p *publicPortal) bool { return !answercache.Fresh(p.at, now) })
	if p := k.kept[who.portal]; p != nil {
		return p, nil
	}
	read, _, err := k.service.readPublic(ctx, &who)
	if err != nil {
		return nil, err
	}
	p := &publicPortal{Portal: read, at: now}
	k.kept[who.portal] = p
	return p, nil
}

// lists returns the lists of a portal by locale, and reads them unless they are kept. It returns nil when the page has
// to be read by itself.
func (k *publicPortals) lists(ctx context.Context, p *publicPortal) (map[string][]publicCategory, error) {
	size := k.sizes[p.Key()]
	single := size == tooLarge || p.failed || size == large && p.read == 0 || !k.hasRoom()
	if p.lists != nil || single {
		return p.lists, nil
	}
	lists, bytes, err := k.readLists(ctx, p.Portal, size)
	if errors.Is(err, errListTooLarge) {
		// The portal is larger than its size said. Remember that, and read this page by itself.
		k.sizes[p.Key()] = size + 1
		return nil, nil
	}
	p.lists, p.bytes, p.failed = lists, bytes, err != nil
	return lists, err
}

// hasRoom reports whether the memory has room for one more portal of the largest size.
func (k *publicPortals) hasRoom() bool {
	bytes := maxPortal
	for _, p := range k.kept {
		bytes += p.bytes
	}
	return bytes <= maxPortals
}

// readPage reads one page by itself. It returns an error of kind [api.Unavailable] when such pages have read too much
// of the portal in this minute. A list that is too large for an answer counts as the largest page.
func (k *publicPortals) readPage(
	ctx context.Context, p *publicPortal, q listQuery, size *answerSize,
) (publicList, error) {
	if p.read >= maxSingle {
		return publicList{}, &api.Error{
			Kind: api.Unavailable, Message: "Too many pages of this portal are asked for, please try again",
			RetryAfter: time.Until(p.at.Add(answercache.Lifetime)),
		}
	}
	l, err := k.service.readPage(ctx, p.Portal, q, size)
	p.read += 1 + len(l.page)
	if errors.Is(err, errListTooLarge) {
		p.read += MaxLimit
	}
	if err != nil {
		return publicList{}, err
	}
	page := publicList{Payload: []publicCategory{}, Meta: meta{PageMeta: l.meta.PageMeta}}
	for _, r := range l.page {
		c, err := encodePublic(l.view(p.Portal, r))
		if err != nil {
			return publicList{}, err
		}
		page.Payload = append(page.Payload, c)
	}
	return page, nil
}

// readLists reads all categories of a portal into lists by locale, and returns how many bytes their JSON takes. It
// returns errListTooLarge when the portal is larger than its size allows.
func (k *publicPortals) readLists(
	ctx context.Context, p portal.Portal, size portalSize,
) (lists map[string][]publicCategory, bytes int, err error) {
	categories, texts := 0, &answerSize{most: maxPortal}
	l, err := k.service.readAll(ctx, p, func(r changeset.Record) error {
		categories++
		if size == small && categories > maxSmall {
			return errListTooLarge
		}
		return texts.add(minSize(r) + len(r.Related)*minSummary)
	})
	if err != nil {
		return nil, 0, err
	}
	lists = map[string][]publicCategory{}
	for _, locale := range p.EveryLocale() {
		lists[locale] = []publicCategory{} // encodes as [], not as null
	}
	for _, r := range l.page {
		c, err := encodePublic(l.view(p, r))
		if err != nil {
			return nil, 0, err
		}
		bytes += len(c.json)
		if bytes > maxPortal {
			return nil, 0, errListTooLarge
		}
		lists[r.Locale] = append(lists[r.Locale], c)
	}
	return lists, bytes, nil
}
