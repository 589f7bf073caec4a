// Command sign-in is the function behind POST /auth/sign_in.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/signin"
)

func main() { api.Main(api.Serve(user.FromEnvironment, signin.Function)) }
