package demo

import (
	"encoding/json"
	"net/url"

	"frontdesk/internal/operate/frontdesk/commandline"
)

// SAMURL is where sam local start-api answers by default.
const SAMURL = "http://127.0.0.1:3000"

// ContainerHost is the name of this machine within a container. On Linux, SAM needs it as an argument: --add-host.
const ContainerHost = "host.docker.internal"

// WriteSAMEnvironment writes the file that sam local reads with --env-vars. A function gets those of its Parameters
// that the template declares for it, in place of the template's values. FRONTEND_URL is among them, because SAM tells
// no function its port. The endpoints keep their ports, and get the name by which a container reaches this machine.
// https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-sam-cli-using-invoke.html
func WriteSAMEnvironment(path string, stack map[string]string) error {
	parameters := map[string]string{"TABLE_NAME": stack["TABLE_NAME"], "FRONTEND_URL": SAMURL}
	for _, name := range []string{"AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL_SESV2"} {
		endpoint, err := url.Parse(stack[name])
		if err != nil {
			return err
		}
		parameters[name] = "http://" + ContainerHost + ":" + endpoint.Port()
	}
	text, err := json.MarshalIndent(map[string]any{"Parameters": parameters}, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, append(text, '\n'))
}

// WelcomeSAM prints what to start, and where mails are.
func (d *Tenant) WelcomeSAM(p commandline.Printer, environment string) {
	p.Printf(`The services of frontdesk run, for the containers of sam local

  services            %[1]s
  console             %[2]s/
  captured mails      %[2]s/outbox
  demo credentials    %[3]s

In another terminal, in the project's folder:

  sam build
  sam local start-api --env-vars %[4]s --add-host %[5]s:host-gateway

Ctrl-C stops it. All state is under .local/data; removing that folder starts afresh.
`, d.Variables["AWS_ENDPOINT_URL_DYNAMODB"], d.Variables["CONSOLE_URL"], d.files.Public, environment, ContainerHost)
}
