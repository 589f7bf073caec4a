package mail_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"
)

// TestNothingOutlivesItsRequest sends HTML that is dear to convert. The function's processes use no CPU after the
// answer: in Lambda they would use that of the next request.
func TestNothingOutlivesItsRequest(t *testing.T) {
	t.Parallel()
	s := startSlow(t, "the kernel counts the CPU of a process")
	for name, html := range map[string]string{
		"a class that is repeated 12,000 times": "<style>" + strings.Repeat(".a.b{display:none}", 32) +
			"</style><p class='" + strings.Repeat("a ", 12_000) + "'>x",
		"a base of 100 kB": "<base href='https://e.org/" + strings.Repeat("b", 100_000) + "/'>" +
			strings.Repeat("<a href=x>y</a>", 35_000),
		"a base of 2 kB": "<base href='https://e.org/" + strings.Repeat("b", 2_000) + "/'>" +
			strings.Repeat("<a href=x>y</a>", 65_000),
	} {
		t.Run(name, func(t *testing.T) {
			r := s.invoke(t, s.mail(object{"text": nil, "html": html}))
			expect.Equal(t, r.Outcome, "success")
			before := s.ticks(t)
			time.Sleep(time.Second)
			if used := s.ticks(t) - before; used > 10 {
				t.Errorf("%d hundredths of a second of CPU in the second after the answer", used)
			}
		})
	}
	if got := s.peak(t); got >= maxPeak {
		t.Errorf("the function had %d bytes of memory, want under %d", got, maxPeak)
	}
}

// ticks returns the CPU that the function's processes have used, in hundredths of a second (proc_pid_stat(5)).
func (s *stack) ticks(t testing.TB) (ticks int) {
	t.Helper()
	for _, process := range s.processes(t) {
		stat, err := os.ReadFile(filepath.Join(process, "stat"))
		if err != nil {
			t.Fatal(err)
		}
		_, fields, _ := strings.Cut(string(stat), ") ")
		var user, system int
		if _, err := fmt.Sscanf(strings.Join(strings.Fields(fields)[11:13], " "), "%d %d", &user, &system); err != nil {
			t.Fatal(err)
		}
		ticks += user + system
	}
	return ticks
}
