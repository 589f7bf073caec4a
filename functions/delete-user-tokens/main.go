// Command delete-user-tokens is the function behind DELETE /platform/api/v1/users/{user_id}/token.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/user"
)

func main() {
	service, err := user.FromEnvironment()
	if err != nil {
		api.Fatal(err)
	}
	api.Start(service.DeleteTokensFunction())
}
