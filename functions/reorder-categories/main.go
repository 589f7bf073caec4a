// Command reorder-categories is the function behind
// POST /api/v1/accounts/{account_id}/portals/{portal_slug}/categories/reorder.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/category"
)

func main() {
	service, err := category.FromEnvironment()
	if err != nil {
		api.Fatal(err)
	}
	api.Start(service.ReorderFunction())
}
