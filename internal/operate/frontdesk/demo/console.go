package demo

import (
	"fmt"
	"net/http"

	"frontdesk/internal/develop/local/console"
)

// consoleVariables are the variables that the console shows, in this order, with their labels. Those without a value
// are left out. AWS credentials are not among them: the local ones are the same for everybody, and a person needs
// none in a browser.
var consoleVariables = []struct{ label, name string }{
	{"Base URL", "BASE_URL"},
	{"Mail key", "MAIL_KEY"},
	{"Platform token", "PLATFORM_TOKEN"},
	{"Agent token", "AGENT_TOKEN"},
	{"Account id", "ACCOUNT_ID"},
	{"Portal slug", "PORTAL_SLUG"},
	{"Table", "TABLE_NAME"},
	{"DynamoDB", "AWS_ENDPOINT_URL_DYNAMODB"},
}

// Console returns what the console shows of the demo tenant.
func (d *Tenant) Console() console.Shown {
	mail := &console.Call{Method: http.MethodPost, Path: "/sender.php", Body: fmt.Sprintf(`{
  "key": "%s",
  "recipients": [{"email": "ada@example.org", "name": "Ada"}],
  "subject": "Hello from frontdesk",
  "html": "<h1>Hello, {WHO}</h1><p>This is a first mail.</p>",
  "placeholders": [{"name": "who", "value": "Ada"}]
}`, d.Variables["MAIL_KEY"])}
	shown := console.Shown{
		FirstMail: fmt.Sprintf("curl -s %s%s -d '%s'", d.Variables["BASE_URL"], mail.Path, mail.Body),
		Scan:      scan(d.Variables),
		TestMail:  mail,
		Login: &console.Call{
			Method: http.MethodGet, Path: "/platform/api/v1/users/" + d.Agent.String() + "/login",
			Headers: map[string]string{"api_access_token": d.Variables["PLATFORM_TOKEN"]},
		},
	}
	for _, v := range consoleVariables {
		if value := d.Variables[v.name]; value != "" {
			shown.Credentials = append(shown.Credentials, console.Credential{Label: v.label, Value: value})
		}
	}
	return shown
}

// scan returns a command that prints the first megabyte of the table (DynamoDB API Reference, Scan). curl signs the
// request, so it needs no AWS CLI.
func scan(variables map[string]string) string {
	return fmt.Sprintf(`curl -s %s -H 'X-Amz-Target: DynamoDB_20120810.Scan' \
  -H 'Content-Type: application/x-amz-json-1.0' --aws-sigv4 aws:amz:%s:dynamodb --user %s:%s \
  -d '{"TableName": "%s"}'`, variables["AWS_ENDPOINT_URL_DYNAMODB"], variables["AWS_REGION"],
		variables["AWS_ACCESS_KEY_ID"], variables["AWS_SECRET_ACCESS_KEY"], variables["TABLE_NAME"])
}
