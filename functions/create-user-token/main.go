// Command create-user-token is the function behind POST /platform/api/v1/users/{user_id}/token.
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
	api.Start(service.TokenFunction())
}
