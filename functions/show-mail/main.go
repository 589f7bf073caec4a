// Command show-mail is the function behind GET /mails/{mail_id}.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/maillog"
)

func main() { api.Main(api.Serve(maillog.FromEnvironment, (*maillog.Service).ShowFunction)) }
