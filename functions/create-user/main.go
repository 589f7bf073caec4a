// Command create-user is the function behind POST /platform/api/v1/users.
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
	api.Start(service.CreateFunction())
}
