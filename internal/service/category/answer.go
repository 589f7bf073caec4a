package category

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/category/tree"
)

// portalView returns what views show of a portal.
func portalView(p portal.Portal) tree.Portal { return tree.Portal{Account: p.Account, Spell: p.Spell} }

// answer shows a category. The warnings name fields of the request that had no effect.
func answer(v tree.View, warnings []string) api.Response {
	return api.Response{Body: struct {
		Payload  tree.View `json:"payload"`
		Warnings []string  `json:"warnings,omitempty"`
	}{v, warnings}}
}
