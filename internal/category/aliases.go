package category

import "frontdesk/internal/category/portal"

type (
	Portal  = portal.Portal
	Portals = portal.Store
)

var ErrExists = portal.ErrExists
