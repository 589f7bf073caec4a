// Command login-page is the function behind GET /app/login.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/loginpage"
)

func main() { api.Start(loginpage.Function()) }
