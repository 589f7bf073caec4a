// Command login-link is the function behind GET /platform/api/v1/users/{user_id}/login.
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
	api.Start(service.LoginFunction())
}
