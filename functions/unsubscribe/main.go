// Command unsubscribe is the function behind GET and POST /unsubscribe/{token}.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/unsubscribe"
)

func main() { api.Main(api.Serve(unsubscribe.FromEnvironment, unsubscribe.Store.LinkFunction)) }
