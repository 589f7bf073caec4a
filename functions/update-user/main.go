// Command update-user is the function behind PATCH and PUT of /platform/api/v1/users/{user_id}.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/user"
)

func main() { api.Main(user.FromEnvironment, (*user.Service).UpdateFunction) }
