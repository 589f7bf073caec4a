// Command update-user is the function behind PATCH and PUT of /platform/api/v1/users/{user_id}.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/user"
)

func main() { api.Main(api.Serve(user.FromEnvironment, (*user.Service).UpdateFunction)) }
