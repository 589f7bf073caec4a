package category

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"time"

	"frontdesk/internal/base/answercache"
	"frontdesk/internal/base/api"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/category/tree"
)

const (
	// maxPortals is how many bytes of JSON are kept of all portals together. The rest of maxKept is for answers.
	maxPortals = 48 << 20
	// MaxPublic is how many bytes of JSON readers can get of one portal, in all its locales. A query reads 1 MB, so
	// reading it takes some 16 calls.
	MaxPublic = 16 << 20
)

var errTooLargeForReaders = api.Errorf(api.Invalid,
	"The portal has too many categories for readers: they take more than %d MiB", MaxPublic>>20).
	WithCode(PortalTooLarge)

// publicPortals keeps for a minute what its process has read of public portals. It reads all categories of a portal at
// once, and cuts every page out of them. So invented limits, cursors and locales do not make it read more.
//
// It never drops what is fresh. Otherwise readers could make two portals push each other out, and the function would
// read them again and again.
type publicPortals struct {
	service *Service
	one     chan struct{} // has a value while a request reads, so that two requests do not read the same
	kept    map[table.Portal]*publicPortal
}

// publicPortal is what is kept of one portal.
type publicPortal struct {
	portal.Portal
	at    time.Time                   // when it was read, by the wall clock; its categories were read later
	lists map[string][]publicCategory // all categories by locale; nil until they are read
	bytes int                         // size of the JSON in lists
	wrong error                       // why its categories cannot be shown, however often they are read
}

func newPublicPortals(s *Service) *publicPortals {
	return &publicPortals{service: s, one: make(chan struct{}, 1), kept: map[table.Portal]*publicPortal{}}
}

// list answers a query. The time is when the oldest part of the answer was read.
func (k *publicPortals) list(
	ctx context.Context, who reader, q tree.Query, maxJSON int,
) (publicList, time.Time, error) {
	k.one <- struct{}{}
	defer func() { <-k.one }()
	p, err := k.portal(ctx, who)
	if err != nil {
		return publicList{}, time.Time{}, err
	}
	locale := cmp.Or(who.locale, portal.NormalLocale(p.DefaultLocale))
	if !p.Knows(locale) {
		return publicList{Payload: []publicCategory{}}, p.at, nil
	}
	if err := k.read(ctx, p); err != nil {
		return publicList{}, p.at, err
	}
	list := p.lists[locale]
	if list == nil {
		list = []publicCategory{} // encodes as [], not as null
	}
	page, err := cut(list, q, maxJSON)
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

// read reads the categories of a portal, unless they are kept. What is wrong with the portal itself is kept, too. When
// the table was slow, the next request tries again.
func (k *publicPortals) read(ctx context.Context, p *publicPortal) error {
	if p.lists != nil || p.wrong != nil {
		return p.wrong
	}
	if err := k.room(); err != nil {
		return err
	}
	lists, bytes, err := k.service.readLists(ctx, p.Portal)
	if _, damaged := errors.AsType[table.Damage](err); damaged || errors.Is(err, errTooLargeForReaders) {
		p.wrong = err
	}
	if err != nil {
		return err
	}
	p.lists, p.bytes = lists, bytes
	return nil
}

// room returns an error of kind [api.Unavailable] unless the memory has room for one more portal of the largest size.
// There is more when the minute of the oldest portal is over.
func (k *publicPortals) room() error {
	bytes, oldest := MaxPublic, time.Time{}
	for _, p := range k.kept {
		bytes += p.bytes
		if p.bytes > 0 && (oldest.IsZero() || p.at.Before(oldest)) {
			oldest = p.at
		}
	}
	if bytes <= maxPortals {
		return nil
	}
	return &api.Error{
		Kind: api.Unavailable, Message: "Too many portals are asked for, please try again",
		RetryAfter: time.Until(oldest.Add(answercache.Lifetime)),
	}
}

// readLists reads all categories of a portal into lists by locale, and returns how many bytes their JSON takes.
func (s *Service) readLists(
	ctx context.Context, p portal.Portal,
) (lists map[string][]publicCategory, bytes int, err error) {
	l := tree.NewLister(tree.Query{})
	err = s.readPortal(ctx, p, l, MaxPublic)
	if errors.Is(err, errListTooLarge) || errors.Is(err, errPortalTooLarge) {
		err = errTooLargeForReaders
	}
	if err != nil {
		return nil, 0, err
	}
	lists = map[string][]publicCategory{}
	page, _ := l.Page()
	for _, c := range page {
		encoded, err := encodePublic(l.View(portalView(p), c))
		if err != nil {
			return nil, 0, err
		}
		bytes += len(encoded.json)
		if bytes > MaxPublic {
			return nil, 0, errTooLargeForReaders
		}
		lists[c.Locale] = append(lists[c.Locale], encoded)
	}
	return lists, bytes, nil
}
