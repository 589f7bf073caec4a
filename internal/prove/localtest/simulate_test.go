package localtest_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// TestTimeIsSimulated shows that the clock of a bubble begins at the present, and that waiting costs nothing.
func TestTimeIsSimulated(t *testing.T) {
	t.Parallel()
	began := time.Now()
	localtest.Simulate(t, func(t *testing.T) {
		expect.AtMost(t, time.Since(began), time.Minute)
		time.Sleep(1000 * time.Hour)
	})
	expect.AtMost(t, time.Since(began), time.Hour)
}

// TestServersOfABubbleAreReached shows that a stack and a server of the same bubble find each other.
func TestServersOfABubbleAreReached(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := localtest.Start(t)
		server := localtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "here")
		}))
		response, err := stack.Client().Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, string(body), "here")
	})
}

// TestWhatEmbedsATestHasItsBubble shows that a stack of a case starts in the bubble of what embeds the test.
func TestWhatEmbedsATestHasItsBubble(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		localtest.Case(struct{ testing.TB }{t}, "of a/b", func(t testing.TB) {
			localtest.Case(struct{ testing.TB }{t}, "c", func(t testing.TB) {
				server := localtest.Serve(struct{ testing.TB }{t}, http.NotFoundHandler())
				response, err := localtest.Start(t).Client().Get(server.URL)
				if err != nil {
					t.Fatal(err)
				}
				response.Body.Close()
			})
		})
	})
}

// asFailing is the variable that makes the cases of the next test fail.
const asFailing = "LOCALTEST_FAIL"

// TestACaseEndsAlone runs itself in a process where cases fail. Each case reports with its name, whatever those before
// it did, and its cleanups run.
func TestACaseEndsAlone(t *testing.T) {
	t.Parallel()
	if os.Getenv(asFailing) != "" {
		localtest.Simulate(t, func(t *testing.T) {
			localtest.Case(t, "good", func(t testing.TB) {})
			localtest.Case(t, "fatal", func(t testing.TB) {
				t.Cleanup(func() { t.Logf("cleaned up, failed: %t", t.Failed()) })
				localtest.Case(t, "inner", func(t testing.TB) { t.Fatalf("fault %d", 1) })
				t.Fatal("fault", 2)
			})
			localtest.Case(t, "other", func(t testing.TB) {
				t.Logf("failed before: %t", t.Failed())
				t.Error("fault", 3)
				t.Log("goes on")
			})
		})
		return
	}
	for name, c := range map[string]struct {
		run  string
		want []string
	}{
		"all": {"^TestACaseEndsAlone$", []string{
			"fatal: inner: fault 1", "fatal: fault 2", "fatal: cleaned up, failed: true", "other: failed before: false",
			"other: fault 3", "other: goes on",
		}},
		"one, by its name": {"^TestACaseEndsAlone$/^other$", []string{
			"other: failed before: false", "other: fault 3", "other: goes on",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run="+c.run)
			cmd.Env = append(os.Environ(), asFailing+"=1")
			output, err := cmd.CombinedOutput()
			if err == nil {
				t.Error("the test passes")
			}
			var got []string
			for line := range strings.Lines(string(output)) {
				if _, said, ok := strings.Cut(strings.TrimSpace(line), "simulate_test.go:"); ok {
					_, said, _ = strings.Cut(said, ": ")
					got = append(got, said)
				}
			}
			expect.Equal(t, got, c.want, string(output))
		})
	}
}
