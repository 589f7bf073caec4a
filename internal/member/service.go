// Package member is the endpoints by which a platform app keeps the members of portals: in the accounts that an
// operator has granted it, and among the users that it is linked to.
//
// It stands above the users' feature and the categories'. The app and its grant are those of package platformapp, the
// portal and its memberships those of package portal. Who calls is found in one round trip (access.go). A write checks
// all of that again in its own transaction, and a list reads it again after the members that it shows: once an operator
// has the answer that an app or a grant is revoked, no request of the app, under way or new, changes or shows anything.
package member

import (
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// Service keeps the members of all portals for platform apps.
type Service struct{ Table table.Table }

// FromEnvironment builds the service of a function: TABLE_NAME.
func FromEnvironment() (*Service, error) {
	t, err := table.FromEnvironment()
	if err != nil {
		return nil, err
	}
	return &Service{Table: t}, nil
}

// view is a member as it is answered.
type view struct {
	User id.ID `json:"user_id"`
}
