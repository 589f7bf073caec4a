// Command sign-in is the function behind POST /auth/sign_in.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/user"
	"frontdesk/internal/user/signin"
)

func main() { api.Main(user.FromEnvironment, signin.Function) }
