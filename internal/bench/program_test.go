package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// root is the project's folder.
const root = "../.."

// baseline is the program that the others are measured by.
const baseline = "hello-world"

// program is a function that is built for this machine.
type program struct {
	name   string // of its folder
	folder string // that has its bootstrap, and nothing else
}

// programs builds the baseline, which comes first, and every function of the project.
func programs(b *testing.B) []program {
	b.Helper()
	entries, err := os.ReadDir(filepath.Join(root, "functions"))
	if err != nil {
		b.Fatal(err)
	}
	// The same recipe, run in this module, builds from this module's folder functions.
	list := []program{build(b, baseline, "GO=go -C internal/bench")}
	for _, entry := range entries {
		if entry.IsDir() {
			list = append(list, build(b, entry.Name()))
		}
	}
	return list
}

// build makes the target that sam build makes, so that every program has the same flags. The folder lasts as
// long as the benchmark.
func build(b *testing.B, name string, variables ...string) program {
	b.Helper()
	p := program{name: name, folder: b.TempDir()}
	cmd := exec.Command("make", append([]string{"--no-print-directory", "build-" + logicalID(name),
		"ARTIFACTS_DIR=" + p.folder, "GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH}, variables...)...)
	cmd.Dir = root
	// What a make around this process tells its children is not for this one: its COUNT, its jobs.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "MAKE") || strings.HasPrefix(variable, "MFLAGS=")
	})
	if output, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("build %s: %v\n%s", name, err, output)
	}
	return p
}

// logicalID is the template's name of the function in a folder: SendMailFunction is built from send-mail.
func logicalID(folder string) string {
	id := ""
	for word := range strings.SplitSeq(folder, "-") {
		id += strings.ToUpper(word[:1]) + word[1:]
	}
	return id + "Function"
}

func (p program) bootstrap() string { return filepath.Join(p.folder, "bootstrap") }

// environment is what a program finds in its own, in the form of exec.Cmd.Env: what Lambda sets, and what the
// functions need to start. One that needs more says so when it ends.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
func (p program) environment(runtimeAPI string) []string {
	return []string{
		"AWS_ACCESS_KEY_ID=bench",
		"AWS_DEFAULT_REGION=us-east-1",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=512",
		"AWS_LAMBDA_FUNCTION_NAME=" + p.name,
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST",
		"AWS_LAMBDA_RUNTIME_API=" + runtimeAPI,
		"AWS_REGION=us-east-1",
		"AWS_SECRET_ACCESS_KEY=bench",
		"AWS_SESSION_TOKEN=bench",
		"LAMBDA_TASK_ROOT=" + p.folder,
		"PATH=/usr/local/bin:/usr/bin:/bin:/opt/bin",
		"TABLE_NAME=bench",
		"TZ=:UTC",
		"_HANDLER=bootstrap",
	}
}
