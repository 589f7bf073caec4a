// Command list-unsubscribes is the function behind GET /unsubscribes.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/mail/unsubscribe"
)

func main() {
	store, err := unsubscribe.FromEnvironment()
	if err != nil {
		api.Fatal(err)
	}
	api.Start(store.ListFunction())
}
