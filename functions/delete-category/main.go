// Command delete-category is the function behind
// DELETE /api/v1/accounts/{account_id}/portals/{portal_slug}/categories/{category_id}.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/category"
)

func main() { api.Main(category.FromEnvironment, (*category.Service).DeleteFunction) }
