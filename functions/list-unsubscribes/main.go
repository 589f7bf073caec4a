// Command list-unsubscribes is the function behind GET /unsubscribes.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/unsubscribe"
)

func main() { api.Main(api.Serve(unsubscribe.FromEnvironment, unsubscribe.Store.ListFunction)) }
