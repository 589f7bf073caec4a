// Command list-users is the function behind GET /platform/api/v1/users.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/user"
)

func main() { api.Main(api.Serve(user.FromEnvironment, (*user.Service).ListFunction)) }
