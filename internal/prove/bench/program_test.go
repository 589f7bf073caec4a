package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/gateway"
	"frontdesk/internal/develop/local/samtemplate"
)

// root is the project's folder.
const root = "../../.."

// The peers of the functions. Their code is in this module's folder functions.
const (
	helloWorld = "hello-world" // the least that a function in Go can be
	getItem    = "get-item"    // one item read by its key, as the SDK's examples do it
)

// program is a function that is built for this machine.
type program struct {
	name  string // of the folder that has its code
	file  string // path
	share *share // of the processor; nil for all of it
	// routes are those of the API, and one of get-item.
	routes gateway.Router
	samtemplate.Function
}

// programs builds hello-world and get-item, which come first, and every function of the template. The two peers have
// the environment of the template's functions, so that only the code differs.
func programs(tb testing.TB) []program {
	tb.Helper()
	list, err := built()
	if err != nil {
		tb.Fatal(err)
	}
	return list
}

// built builds all programs once for each run of the test binary.
var built = sync.OnceValues(func() ([]program, error) {
	folder, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("find the project: %w", err)
	}
	loaded, err := samtemplate.Load(filepath.Join(folder, "template.yaml"), samtemplate.Values{
		StackName: "bench", Parameters: map[string]string{"Purpose": "production"},
	})
	if err != nil {
		return nil, fmt.Errorf("load template: %w", err)
	}
	if err := local.Build(context.Background(), local.Options{Root: folder}); err != nil {
		return nil, err
	}
	var shared map[string]string // what every function has in its environment: show-user has no more
	for _, f := range loaded.Functions {
		if f.LogicalID == "ShowUserFunction" {
			shared = f.Environment
		}
	}
	peers := []samtemplate.Function{
		{LogicalID: "HelloWorldFunction", MemoryMB: 256, Environment: shared},
		{LogicalID: "GetItemFunction", MemoryMB: 256, Environment: shared},
	}
	var list []program
	for _, f := range peers {
		peer, err := buildPeer(f)
		if err != nil {
			return nil, err
		}
		list = append(list, peer)
	}
	for _, f := range loaded.Functions {
		list = append(list, program{
			name: f.Program(), file: filepath.Join(folder, ".local", "functions", f.Program()), Function: f,
		})
	}
	routes := gateway.NewRouter(append(loaded.Routes, samtemplate.Route{Method: "GET", Path: "/items/{id}"}))
	for i := range list {
		list[i].routes = routes
	}
	return list, nil
})

// buildPeer builds a peer: with this command, the recipe builds from this module's folder functions.
func buildPeer(f samtemplate.Function) (program, error) {
	folder, err := filepath.Abs(filepath.Join(root, ".local", "bench", f.Program()))
	if err != nil {
		return program{}, err
	}
	p := program{name: f.Program(), file: filepath.Join(folder, "bootstrap"), Function: f}
	return p, p.make(folder, "go -C internal/prove/bench")
}

// make builds a bootstrap in a folder by the recipe that sam build runs, so that every program has the same flags. The
// caller says how the recipe calls Go, and which variables Go finds besides.
func (p program) make(folder, goCommand string, environment ...string) error {
	cmd := exec.Command("make", "--no-print-directory", "build-"+p.LogicalID,
		"ARTIFACTS_DIR="+folder, "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "GO="+goCommand)
	cmd.Dir = root
	// A make around this process sets variables for its children, such as COUNT and the number of jobs. This make
	// must not see them.
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "MAKE") || strings.HasPrefix(variable, "MFLAGS=")
	}), environment...)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", p.name, err, output)
	}
	return nil
}
