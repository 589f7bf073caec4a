// Command create-user is the function behind POST /platform/api/v1/users.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/user"
)

func main() { api.Main(user.FromEnvironment, (*user.Service).CreateFunction) }
