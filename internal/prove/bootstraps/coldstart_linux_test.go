package bootstraps

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"frontdesk/internal/develop/local/lambda"
	"frontdesk/internal/prove/expect"
)

const (
	maxInitialized = 1 << 20  // bytes; a function takes 200 kB, and send-mail 500 kB
	maxStarted     = 24 << 20 // bytes, with the pages of the program that were read; all take 9 to 11 MB
)

// TestAStartTakesLittle counts what a function does before its first event, in bytes: the time would be the machine's.
// What a package of the function makes ready, a test's process has made ready long ago.
func TestAStartTakesLittle(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, function := range functions() {
		// No function knows an event without a route. It answers so, and its start is the same.
		_, invocation, _ := s.Lambda().Invoke(t.Context(), function, lambda.Event{Payload: []byte("{}")})
		expect.Equal(t, invocation.Cold, true, function)
		expect.AtMost(t, s.peak(t, function), maxStarted, function+": bytes of memory")
		total, most := initialized(t, filepath.Join(s.processes(t, function)[0], "exe"))
		expect.AtMost(t, total, maxInitialized, function+": bytes that packages allocate before main, most by "+most)
	}
}

// initialized runs a program, and returns the bytes that the variables and init functions of its packages allocate, and
// the package with the most. Go tells them (https://pkg.go.dev/runtime, inittrace). Without variables main ends then.
func initialized(t *testing.T, program string) (total int, most string) {
	t.Helper()
	command := exec.Command(program)
	command.Env = []string{"GODEBUG=inittrace=1"}
	output, _ := command.CombinedOutput()
	packages := regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes,`).FindAllStringSubmatch(string(output), -1)
	expect.AtLeast(t, len(packages), 10, "packages that tell what they allocate")
	largest := -1
	for _, found := range packages {
		bytes, _ := strconv.Atoi(found[2])
		total += bytes
		if bytes > largest {
			most, largest = found[1], bytes
		}
	}
	return total, most
}
