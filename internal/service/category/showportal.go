package category

import (
	"context"

	"frontdesk/internal/base/answercache"
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/category/portal"
)

// ShowPublicPortalFunction is the endpoint GET /public/…/portals/{portal_slug}. It answers from memory for a minute.
func (s *Service) ShowPublicPortalFunction() api.Function {
	answers := answercache.New(maxKept)
	return api.Function{Header: publicHeader, Handle: func(ctx context.Context, r *api.Request) (api.Response, error) {
		who, err := parseReader(r)
		if err != nil {
			return api.Response{}, err
		}
		return fromMemory(answers, who.portal.Key().PK, func() (any, error) {
			p, _, err := s.readPublic(ctx, &who)
			if err != nil {
				return nil, err
			}
			return struct {
				Payload shownPortal `json:"payload"`
			}{showPortal(p)}, nil
		})
	}}
}

// shownPortal is a portal as readers see it: what a help center's front end needs to know before it asks for
// categories. The names are those of Chatwoot's portal.
type shownPortal struct {
	Name   string       `json:"name"`
	Slug   string       `json:"slug"`
	Config portalConfig `json:"config"`
}

type portalConfig struct {
	AllowedLocales []allowedLocale `json:"allowed_locales"` // as the portal spells them; without former ones
	DefaultLocale  string          `json:"default_locale"`
}

type allowedLocale struct {
	Code string `json:"code"`
}

func showPortal(p portal.Portal) shownPortal {
	config := portalConfig{DefaultLocale: p.DefaultLocale}
	for _, locale := range p.Locales {
		config.AllowedLocales = append(config.AllowedLocales, allowedLocale{locale})
	}
	return shownPortal{p.Name, p.Slug, config}
}
