// Command sign-in is the function behind POST /auth/sign_in.
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
	api.Start(service.SignInFunction())
}
