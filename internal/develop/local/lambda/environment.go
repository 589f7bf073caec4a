package lambda

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"frontdesk/internal/develop/local/awsform"
	"frontdesk/internal/develop/local/samtemplate"
)

// variables returns the environment variables of an instance. They are those of the template, those of the
// configuration that the template does not set and, with precedence, those that Lambda itself sets. Nothing of this
// process's own environment passes. Lambda does not set AWS_ENDPOINT_URL; here it leads to the AWS proxy.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
func variables(c Config, f samtemplate.Function, token, runtimeAPI string) map[string]string {
	name := functionName(c.Values, f)
	all := map[string]string{}
	maps.Copy(all, c.Environment)
	maps.Copy(all, f.Environment)
	keepRoots(all, bundle)
	maps.Copy(all, map[string]string{
		"AWS_ACCESS_KEY_ID":               f.LogicalID, // by this the AWS proxy recognizes the caller
		"AWS_DEFAULT_REGION":              c.Values.Region,
		"AWS_ENDPOINT_URL":                c.Endpoint,
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": strconv.Itoa(f.MemoryMB),
		"AWS_LAMBDA_FUNCTION_NAME":        name,
		"AWS_LAMBDA_FUNCTION_VERSION":     "$LATEST",
		"AWS_LAMBDA_INITIALIZATION_TYPE":  "on-demand",
		"AWS_LAMBDA_LOG_GROUP_NAME":       "/aws/lambda/" + name,
		"AWS_LAMBDA_LOG_STREAM_NAME":      time.Now().UTC().Format("2006/01/02") + "/[$LATEST]" + awsform.UUID(),
		"AWS_LAMBDA_RUNTIME_API":          runtimeAPI,
		"AWS_REGION":                      c.Values.Region,
		"AWS_SECRET_ACCESS_KEY":           "local",
		"AWS_SESSION_TOKEN":               token,
		"LAMBDA_RUNTIME_DIR":              "/var/runtime",
		"LAMBDA_TASK_ROOT":                c.Builds,
		"LANG":                            "en_US.UTF-8",
		"PATH":                            "/usr/local/bin:/usr/bin:/bin:/opt/bin",
		"TZ":                              ":UTC",
		"_HANDLER":                        "bootstrap",
	})
	return all
}

// environ returns variables in the form of exec.Cmd.Env.
func environ(variables map[string]string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		list = append(list, name+"="+variables[name])
	}
	return list
}

// bundle is the file with root certificates on most systems, and the first one that Go looks for.
// https://go.dev/src/crypto/x509/root_linux.go
const bundle = "/etc/ssl/certs/ca-certificates.crt"

// keepRoots removes the template's SSL_CERT_DIR on a machine without the bundle. The variable keeps Go from reading
// Lambda's folder of certificates, but here it could hide the only roots of the machine.
func keepRoots(environment map[string]string, bundle string) {
	if _, err := os.Stat(bundle); err != nil {
		delete(environment, "SSL_CERT_DIR")
	}
}
