// Command remove-member is the function behind
// DELETE /platform/api/v1/accounts/{account_id}/portals/{portal_slug}/members/{user_id}.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/member"
)

func main() { api.Main(api.Serve(member.FromEnvironment, (*member.Service).RemoveFunction)) }
