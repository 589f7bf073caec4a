// Command send-mail is the function behind POST /sender.php.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail"
)

func main() { api.Main(api.Serve(mail.FromEnvironment, (*mail.Service).Function)) }
