// Command unsubscribe is the function behind GET and POST /unsubscribe/{token}.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/mail/unsubscribe"
)

func main() { api.Main(unsubscribe.FromEnvironment, unsubscribe.Store.LinkFunction) }
