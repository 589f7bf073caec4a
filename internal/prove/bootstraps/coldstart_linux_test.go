package bootstraps

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/lambda"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

const (
	maxInitialized = 1 << 20  // bytes; a function takes 200 kB, and send-mail 500 kB
	maxStarted     = 24 << 20 // bytes, with the pages of the program that were read; all take 9 to 11 MB
)

// TestAStartTakesLittle counts what a function does before its first event, in bytes: the time would be the machine's.
// Go tells what the variables and init functions of each package allocate. The peak of the process shows what main
// opens, too. What a package of the function makes ready, a test's process has made ready long ago.
func TestAStartTakesLittle(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *local.Options) { o.Environment = map[string]string{"GODEBUG": "inittrace=1"} })
	initialized := regexp.MustCompile(`^init (\S+) @.* (\d+) bytes,`) // https://pkg.go.dev/runtime
	logged := 0
	for _, function := range functions() {
		// No function knows an event without a route. It answers so, and its start is the same.
		_, invocation, _ := s.Lambda().Invoke(t.Context(), function, lambda.Event{Payload: []byte("{}")})
		expect.Equal(t, invocation.Cold, true, function)
		expect.AtMost(t, s.peak(t, function), maxStarted, function+": bytes of memory")
		lines := localtest.Logs(s.Stack.Stack)
		packages, total, most, largest := 0, 0, "", 0
		for _, line := range lines[logged:] {
			if found := initialized.FindStringSubmatch(line); found != nil {
				bytes, _ := strconv.Atoi(found[2])
				packages, total = packages+1, total+bytes
				if bytes > largest {
					most, largest = found[1], bytes
				}
			}
		}
		logged = len(lines)
		what := fmt.Sprintf("%s: bytes that packages allocate before main, %d of them %s", function, largest, most)
		expect.AtMost(t, total, maxInitialized, what)
		expect.AtLeast(t, packages, 10, function+": packages that tell what they allocate")
	}
}
