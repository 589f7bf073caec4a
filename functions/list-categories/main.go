// Command list-categories is the function behind
// GET /api/v1/accounts/{account_id}/portals/{portal_slug}/categories.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/category"
)

func main() { api.Main(api.Serve(category.FromEnvironment, (*category.Service).ListFunction)) }
