// Command create-user is the function behind POST /platform/api/v1/users.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/user"
)

func main() { api.Main(api.Serve(user.FromEnvironment, (*user.Service).CreateFunction)) }
