package steps

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	for name := range strings.Lines(p.list(t)) {
		name = strings.TrimSpace(name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := superlinear(p.read(t, name))
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

// reading is what it takes to read a text.
type reading struct {
	text               string
	size, steps, bytes int
	others             int // steps of the same reading that are not the parser's own
}

// maxKept is how many bytes of memory a larger text may leave in the pools of regular expressions and the like.
const maxKept = 8 << 10

// superlinear compares the readings of each text with those of the one that is larger. The less it lets pass, the
// smaller the texts may be in which it finds the same.
func superlinear(readings []reading) (found []string) {
	for i := 1; i < len(readings); i++ {
		small, large := readings[i-1], readings[i]
		if small.text != large.text || small.size == 0 || large.size == 0 {
			continue
		}
		times := float64(large.size) / float64(small.size)
		// Twice the same work differs by some hundredths, by where the runtime finds memory.
		if float64(large.steps) > 1.12*times*float64(small.steps)+float64(large.others)/10 {
			found = append(found, fmt.Sprintf("%s: %d steps for a size of %d, and %d for one of %d",
				small.text, small.steps, small.size, large.steps, large.size))
		}
		if float64(large.bytes) > 2*times*float64(small.bytes)+maxKept { // buffers grow in jumps
			found = append(found, fmt.Sprintf("%s: %d bytes of memory for a size of %d, and %d for one of %d",
				small.text, small.bytes, small.size, large.bytes, large.size))
		}
	}
	return found
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
	compiled, err := r.CompileModule(t.Context(), metered)
	if err != nil {
		t.Fatal(err)
	}
	return program{r, compiled}
}

// maxMemory is what a module may have. All of it is there from the beginning, because to grow is to copy.
const maxMemory = 128 << 20

// list returns the names of the parsers, each on a line.
func (p program) list(t *testing.T) string {
	t.Helper()
	var names strings.Builder
	p.run(t, &names, func(api.Module) {})
	return names.String()
}

// read returns the readings of a parser. It writes three lines for each.
func (p program) read(t *testing.T, name string) (readings []reading) {
	t.Helper()
	m := &moments{}
	p.run(t, m, func(module api.Module) { m.module = module }, name)
	for moment := range slices.Chunk(m.all, 3) {
		begin, middle, end := moment[0], moment[1], moment[2]
		r := reading{others: int(middle.steps - begin.steps)}
		r.steps = int(end.steps-middle.steps) - r.others
		if _, err := fmt.Sscanf(end.line, "%q %d %d", &r.text, &r.size, &r.bytes); err != nil {
			t.Fatalf("%q: %v", end.line, err)
		}
		readings = append(readings, r)
	}
	if len(readings) == 0 {
		t.Fatal("it reads nothing")
	}
	return readings
}

// run runs the program in a module of its own.
func (p program) run(t *testing.T, out io.Writer, made func(api.Module), args ...string) {
	t.Helper()
	module, err := p.runtime.InstantiateModule(t.Context(), p.module, wazero.NewModuleConfig().WithName("").
		WithStartFunctions().WithArgs(append([]string{"parsers"}, args...)...).WithNanotime(slowClock(), 1).
		WithEnv("GODEBUG", "gcshrinkstackoff=1").
		WithStdout(out).WithStderr(t.Output()))
	if err != nil {
		t.Fatal(err)
	}
	defer module.Close(t.Context())
	made(module)
	_, err = module.ExportedFunction("_start").Call(t.Context())
	if exit, ok := errors.AsType[*sys.ExitError](err); !ok || exit.ExitCode() != 0 {
		t.Fatal(err)
	}
}

// slowClock is a clock that goes on by a microsecond when it is read: no parser runs out of time.
func slowClock() sys.Nanotime {
	now := int64(0)
	return func() int64 {
		now += 1000
		return now
	}
}

// moments keeps the count at each line that the program writes.
type moments struct {
	module api.Module
	all    []moment
}

type moment struct {
	line  string
	steps uint64
}

func (m *moments) Write(line []byte) (int, error) {
	m.all = append(m.all, moment{string(line), m.module.ExportedGlobal(counter).Get()})
	return len(line), nil
}
