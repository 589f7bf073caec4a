// Package category is the endpoints of the help center's categories: a tree with cross links inside each portal, for
// agents who are the portal's members.
//
// A request is decoded (package request), its caller authenticated and what it names read in one round trip
// (member.go), held against the rules and applied (package request), written by a [changeset.ChangeSet], and
// answered (view.go).
package category

import (
	"log/slog"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// Service keeps the categories of all portals.
type Service struct{ Table table.Table }

// FromEnvironment builds the service of a function: TABLE_NAME.
func FromEnvironment() (*Service, error) {
	t, err := table.FromEnvironment()
	if err != nil {
		return nil, err
	}
	return &Service{Table: t}, nil
}

// logCategory adds to a request's log line which category it was about.
func logCategory(r *api.Request, category id.ID) { r.Log(slog.Int64("category", int64(category))) }
