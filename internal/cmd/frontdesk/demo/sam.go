package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
)

// samURL is where sam local start-api answers, unless it is told another port.
const samURL = "http://127.0.0.1:3000"

// containerHost is this machine as a container calls it. On Linux, SAM has to be given the name: --add-host.
const containerHost = "host.docker.internal"

// writeSAMEnvironment writes what sam local reads with --env-vars. Of its Parameters a function gets those that the
// template declares for it, over the template's values. FRONTEND_URL is among them because SAM tells no function its
// port.
// https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-sam-cli-using-invoke.html
func writeSAMEnvironment(path string, stack map[string]string) error {
	parameters := map[string]string{"TABLE_NAME": stack["TABLE_NAME"], "FRONTEND_URL": samURL}
	for _, name := range []string{"AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL_SESV2"} {
		endpoint, err := url.Parse(stack[name])
		if err != nil {
			return err
		}
		parameters[name] = "http://" + containerHost + ":" + endpoint.Port()
	}
	text, err := json.MarshalIndent(map[string]any{"Parameters": parameters}, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, append(text, '\n'))
}

// welcomeSAM prints what to start, and where mails are.
func (d *demo) welcomeSAM(w io.Writer, environment string) {
	fmt.Fprintf(w, `The services of frontdesk run, for the containers of sam local

  services            %[1]s
  console             %[2]s/
  captured mails      %[2]s/outbox
  demo credentials    %[3]s

In another terminal, in the project's folder:

  sam build
  sam local start-api --env-vars %[4]s --add-host %[5]s:host-gateway

Ctrl-C stops it. All state is under .local/data; removing that folder starts afresh.
`, d.variables["AWS_ENDPOINT_URL_DYNAMODB"], d.variables["CONSOLE_URL"], d.path, environment, containerHost)
}
