// Command sign-in is the function behind POST /auth/sign_in.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/user"
	"frontdesk/internal/user/signin"
)

func main() {
	service, err := user.FromEnvironment()
	if err != nil {
		api.Fatal(err)
	}
	api.Start(signin.Function(service))
}
