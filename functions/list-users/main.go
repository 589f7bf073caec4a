// Command list-users is the function behind GET /platform/api/v1/users.
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
	api.Start(service.ListFunction())
}
