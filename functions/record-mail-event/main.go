// Command record-mail-event is what EventBridge hands SES's events to.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/maillog"
)

func main() { api.Main(maillog.Recorder) }
