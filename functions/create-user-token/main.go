// Command create-user-token is the function behind POST /platform/api/v1/users/{user_id}/token.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/user"
)

func main() { api.Main(api.Serve(user.FromEnvironment, (*user.Service).TokenFunction)) }
