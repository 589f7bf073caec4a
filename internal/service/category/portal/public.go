package portal

import (
	"log/slog"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
)

// ParsePath reads the portal that a path names. ok is false when no such portal can exist: the account is no id, or the
// slug is too long for a key of DynamoDB.
func ParsePath(r *api.Request) (p table.Portal, ok bool) {
	p.Slug = r.PathParameters["portal_slug"]
	p.Account, ok = id.Parse(r.PathParameters["account_id"])
	if !ok || !p.Key().Fits() {
		return table.Portal{}, false
	}
	r.Log(slog.Int64("account", int64(p.Account)), slog.String("portal", p.Slug))
	return p, true
}

// Public finds a portal that anybody may read. ok is false for any other portal, also for one that is being deleted.
func Public(items table.Items, key table.Portal) (p Portal, ok bool, err error) {
	_, err = items.Get(key.Key(), &p)
	return p, p.Public && !p.Deleting, err
}
