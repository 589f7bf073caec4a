// Package category serves the endpoints of the help center's categories: in each portal a tree with cross links, kept
// by the agents who are the portal's members.
//
// A request passes these steps. Package request decodes it. One round trip authenticates the caller and reads what the
// request names (member.go). Package request checks the rules and applies the changes. A [changeset.ChangeSet] writes
// them. Package tree orders and shows what was read.
package category

import (
	"log/slog"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/execution"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
)

// Service keeps the categories of all portals.
type Service struct{ Table table.Table }

// FromEnvironment builds the service for a function. It reads the name of the table from TABLE_NAME.
func FromEnvironment(e execution.Environment) (*Service, error) {
	t, err := table.FromEnvironment(e)
	if err != nil {
		return nil, err
	}
	return &Service{Table: t}, nil
}

// logCategory adds the id of the category to the request's log line.
func logCategory(r *api.Request, category id.ID) { r.Log(slog.Int64("category", int64(category))) }
