package lambda

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"frontdesk/internal/local/identifier"
	"frontdesk/internal/local/template"
)

// environment is what a function finds in its environment: the variables of the template, those of
// the configuration that the template does not set, and over both the ones that Lambda sets
// itself. Nothing of this process's own environment gets through. AWS_ENDPOINT_URL, which Lambda
// does not set, leads to the gate.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
type environment struct {
	Config
	function  template.Function
	runtime   string // host:port of the Runtime API
	token     string // session token, unique to the process
	startedAt time.Time
}

// folder is that of the built function.
func (e environment) folder() string { return filepath.Join(e.Builds, e.function.LogicalID) }

// variables are in the form of exec.Cmd.Env.
func (e environment) variables() []string {
	all := maps.Clone(e.Environment)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, e.function.Environment)
	maps.Copy(all, e.lambda())
	var variables []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		variables = append(variables, name+"="+all[name])
	}
	return variables
}

func (e environment) lambda() map[string]string {
	name := functionName(e.Values, e.function)
	return map[string]string{
		"AWS_ACCESS_KEY_ID":               e.function.LogicalID, // how the gate knows the caller
		"AWS_DEFAULT_REGION":              e.Values.Region,
		"AWS_ENDPOINT_URL":                e.Endpoint,
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": strconv.Itoa(e.function.MemoryMB),
		"AWS_LAMBDA_FUNCTION_NAME":        name,
		"AWS_LAMBDA_FUNCTION_VERSION":     "$LATEST",
		"AWS_LAMBDA_INITIALIZATION_TYPE":  "on-demand",
		"AWS_LAMBDA_LOG_GROUP_NAME":       "/aws/lambda/" + name,
		"AWS_LAMBDA_LOG_STREAM_NAME":      e.startedAt.UTC().Format("2006/01/02") + "/[$LATEST]" + identifier.UUID(),
		"AWS_LAMBDA_RUNTIME_API":          e.runtime,
		"AWS_REGION":                      e.Values.Region,
		"AWS_SECRET_ACCESS_KEY":           "local",
		"AWS_SESSION_TOKEN":               e.token,
		"LAMBDA_RUNTIME_DIR":              "/var/runtime",
		"LAMBDA_TASK_ROOT":                e.folder(),
		"LANG":                            "en_US.UTF-8",
		"PATH":                            "/usr/local/bin:/usr/bin:/bin:/opt/bin",
		"TZ":                              ":UTC",
		"_HANDLER":                        "bootstrap",
	}
}

// functionName is the name of a function, which CloudFormation makes of the stack's and the
// logical id (and a random part that is left out here).
func functionName(v template.Values, f template.Function) string {
	return v.StackName + "-" + f.LogicalID
}

func functionARN(v template.Values, f template.Function) string {
	return v.ARN("lambda", "function:"+functionName(v, f))
}
