// Command show-public-portal is the function behind GET /public/api/v1/accounts/{account_id}/portals/{portal_slug}.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/category"
)

func main() {
	api.Main(api.Serve(category.FromEnvironment, (*category.Service).ShowPublicPortalFunction))
}
