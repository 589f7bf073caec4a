package lambda

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"frontdesk/internal/local/identifier"
)

// environ is what a process finds in its environment, in the form of exec.Cmd.Env: the variables of the template, those
// of the configuration that the template does not set, and over both the ones that Lambda itself sets. Nothing of this
// process's own environment gets through. AWS_ENDPOINT_URL, which Lambda does not set, leads to the gate.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
func (p *process) environ(c Config, folder, runtimeAPI string) []string {
	name := functionName(c.Values, p.function)
	all := map[string]string{}
	maps.Copy(all, c.Environment)
	maps.Copy(all, p.function.Environment)
	keepRoots(all, bundle)
	maps.Copy(all, map[string]string{
		"AWS_ACCESS_KEY_ID":               p.function.LogicalID, // how the gate knows the caller
		"AWS_DEFAULT_REGION":              c.Values.Region,
		"AWS_ENDPOINT_URL":                c.Endpoint,
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": strconv.Itoa(p.function.MemoryMB),
		"AWS_LAMBDA_FUNCTION_NAME":        name,
		"AWS_LAMBDA_FUNCTION_VERSION":     "$LATEST",
		"AWS_LAMBDA_INITIALIZATION_TYPE":  "on-demand",
		"AWS_LAMBDA_LOG_GROUP_NAME":       "/aws/lambda/" + name,
		"AWS_LAMBDA_LOG_STREAM_NAME":      time.Now().UTC().Format("2006/01/02") + "/[$LATEST]" + identifier.UUID(),
		"AWS_LAMBDA_RUNTIME_API":          runtimeAPI,
		"AWS_REGION":                      c.Values.Region,
		"AWS_SECRET_ACCESS_KEY":           "local",
		"AWS_SESSION_TOKEN":               p.token,
		"LAMBDA_RUNTIME_DIR":              "/var/runtime",
		"LAMBDA_TASK_ROOT":                folder,
		"LANG":                            "en_US.UTF-8",
		"PATH":                            "/usr/local/bin:/usr/bin:/bin:/opt/bin",
		"TZ":                              ":UTC",
		"_HANDLER":                        "bootstrap",
	})
	var variables []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		variables = append(variables, name+"="+all[name])
	}
	return variables
}

// bundle is the file in which most systems have the root certificates that they trust, and the first that Go looks for.
// https://go.dev/src/crypto/x509/root_linux.go
const bundle = "/etc/ssl/certs/ca-certificates.crt"

// keepRoots leaves the template's SSL_CERT_DIR out of an environment on a machine without that bundle, which may have
// roots in a folder alone: the variable keeps Go from Lambda's folder, and would keep it from this machine's.
func keepRoots(environment map[string]string, bundle string) {
	if _, err := os.Stat(bundle); err != nil {
		delete(environment, "SSL_CERT_DIR")
	}
}
