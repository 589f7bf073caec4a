package steps

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// TestParsersAreLinear reads texts that strangers and callers may send, made of all pairs of pieces: a long one and
// many short ones, and both in turns. A text that is some times as large may take little more than as many times the
// steps and the memory. Parsers that are planted take more, and are found.
func TestParsersAreLinear(t *testing.T) {
	t.Parallel()
	p := build(t)
	for _, name := range p.run(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := p.run(t, name)
			if strings.HasPrefix(name, "planted: ") {
				expect.Not(t, len(found), 0, "what is found")
				return
			}
			for _, fault := range found {
				t.Error(fault)
			}
		})
	}
}

// program is the metered program of package parsers.
type program struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

func build(t *testing.T) program {
	t.Helper()
	file := filepath.Join(t.TempDir(), "parsers.wasm")
	command := exec.Command("go", "build", "-o", file, "./parsers")
	command.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	module, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	metered, err := meter(module)
	if err != nil {
		t.Fatal(err)
	}
	r := wazero.NewRuntimeWithConfig(t.Context(),
		wazero.NewRuntimeConfig().WithMemoryLimitPages(maxMemory/65536).WithMemoryCapacityFromMax(true))
	wasi_snapshot_preview1.MustInstantiate(t.Context(), r)
	count := func(_ context.Context, module api.Module) uint64 { return module.ExportedGlobal(counter).Get() }
	host := r.NewHostModuleBuilder("steps").NewFunctionBuilder().WithFunc(count).Export("count")
	_, err = host.Instantiate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := r.CompileModule(t.Context(), metered)
	if err != nil {
		t.Fatal(err)
	}
	return program{r, compiled}
}

// maxMemory is what a module may have. All of it is there from the beginning, because to grow is to copy.
const maxMemory = 128 << 20

// run runs the program in a module of its own, and returns the lines that it writes.
func (p program) run(t *testing.T, args ...string) (lines []string) {
	t.Helper()
	var out strings.Builder
	module, err := p.runtime.InstantiateModule(t.Context(), p.module, wazero.NewModuleConfig().WithName("").
		WithStartFunctions().WithArgs(append([]string{"parsers"}, args...)...).WithNanotime(slowClock(), 1).
		WithEnv("GODEBUG", "gcshrinkstackoff=1").
		WithStdout(&out).WithStderr(t.Output()))
	if err != nil {
		t.Fatal(err)
	}
	defer module.Close(t.Context())
	_, err = module.ExportedFunction("_start").Call(t.Context())
	if exit, ok := errors.AsType[*sys.ExitError](err); !ok || exit.ExitCode() != 0 {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	return lines
}

// slowClock is a clock that goes on by a microsecond when it is read: no parser runs out of time.
func slowClock() sys.Nanotime {
	now := int64(0)
	return func() int64 {
		now += 1000
		return now
	}
}
