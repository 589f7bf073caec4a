// Command list-mails is the function behind GET /mails.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/maillog"
)

func main() { api.Main(api.Serve(maillog.FromEnvironment, (*maillog.Service).ListFunction)) }
