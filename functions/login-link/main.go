// Command login-link is the function behind GET /platform/api/v1/users/{user_id}/login.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/user"
)

func main() { api.Main(user.FromEnvironment, (*user.Service).LoginFunction) }
