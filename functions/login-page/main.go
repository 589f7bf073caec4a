// Command login-page is the function behind GET /app/login.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/loginpage"
)

func main() { api.Main(api.ServeAlone(loginpage.Function)) }
