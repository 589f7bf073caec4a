// Command send-mail is the function behind POST /sender.php.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/mail"
)

func main() {
	service, err := mail.FromEnvironment()
	if err != nil {
		api.Fatal(err)
	}
	api.Start(service.Function())
}
