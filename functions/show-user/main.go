// Command show-user is the function behind GET /platform/api/v1/users/{user_id}.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/user"
)

func main() { api.Main(user.FromEnvironment, (*user.Service).ShowFunction) }
