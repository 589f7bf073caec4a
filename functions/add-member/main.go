// Command add-member is the function behind
// POST /platform/api/v1/accounts/{account_id}/portals/{portal_slug}/members.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/member"
)

func main() {
	service, err := member.FromEnvironment()
	if err != nil {
		api.Fatal(err)
	}
	api.Start(service.AddFunction())
}
