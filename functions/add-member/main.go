// Command add-member is the function behind
// POST /platform/api/v1/accounts/{account_id}/portals/{portal_slug}/members.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/member"
)

func main() { api.Main(api.Serve(member.FromEnvironment, (*member.Service).AddFunction)) }
