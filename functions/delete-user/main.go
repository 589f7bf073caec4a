// Command delete-user is the function behind DELETE /platform/api/v1/users/{user_id}.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/user"
)

func main() { api.Main(user.FromEnvironment, (*user.Service).DeleteFunction) }
