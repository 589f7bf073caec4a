// Package member serves the endpoints where a platform app keeps the members of portals: in the accounts that an
// operator has granted it, and among the users that it is linked to.
//
// It stands above the packages of users and of categories. Package platformapp has the app and its grant, package
// portal the portal and its memberships. One round trip finds out whether the caller may do what it asks for
// (access.go). A write checks that again in its own transaction, and a list reads it again after the members that it
// shows. So once an operator has the answer that an app or a grant is revoked, no request of the app, new or under way,
// changes or shows anything.
package member

import (
	"frontdesk/internal/base/execution"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
)

// Service keeps the members of all portals for platform apps.
type Service struct{ Table table.Table }

// FromEnvironment builds the service of a function. It reads the name of the table from TABLE_NAME.
func FromEnvironment(e execution.Environment) (*Service, error) {
	t, err := table.FromEnvironment(e)
	if err != nil {
		return nil, err
	}
	return &Service{Table: t}, nil
}

// view is the JSON form of a member.
type view struct {
	User id.ID `json:"user_id"`
}
