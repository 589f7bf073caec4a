// Command send-mail is the function behind POST /sender.php.
package main

import (
	"frontdesk/internal/api"
	"frontdesk/internal/mail"
)

func main() { api.Main(mail.FromEnvironment, (*mail.Service).Function) }
