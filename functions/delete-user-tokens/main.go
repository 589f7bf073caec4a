// Command delete-user-tokens is the function behind DELETE /platform/api/v1/users/{user_id}/token.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/user"
)

func main() { api.Main(api.Serve(user.FromEnvironment, (*user.Service).DeleteTokensFunction)) }
