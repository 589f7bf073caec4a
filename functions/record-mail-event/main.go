// Command record-mail-event is what EventBridge hands SES's events to.
package main

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/maillog"

	"github.com/aws/aws-lambda-go/lambda"
)

func main() {
	service, err := maillog.FromEnvironment()
	if err != nil {
		api.Fatal(err)
	}
	lambda.Start(service)
}
