// Command show-mail is the function behind GET /mails/{mail_id}.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/mail/maillog"
)

func main() {
	service, err := maillog.FromEnvironment()
	if err != nil {
		api.Fatal(err)
	}
	api.Start(service.ShowFunction())
}
