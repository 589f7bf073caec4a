package bootstraps

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// processes returns the folders in /proc of a function's processes. It knows them by their environment.
func (s stack) processes(t testing.TB, function string) []string {
	t.Helper()
	name := []byte("AWS_LAMBDA_FUNCTION_NAME=" + s.name + "-" + function + "\x00")
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(process string) bool {
		environ, err := os.ReadFile(filepath.Join(process, "environ"))
		return err != nil || !bytes.Contains(environ, name)
	})
	if len(all) == 0 {
		t.Fatalf("%s has no process", function)
	}
	return all
}

// peak returns the most memory in bytes that any process of a function has had: VmHWM of proc_pid_status(5).
func (s stack) peak(t testing.TB, function string) int {
	t.Helper()
	most := 0
	for _, process := range s.processes(t, function) {
		status, err := os.ReadFile(filepath.Join(process, "status"))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(status), "\nVmHWM:")
		var kib int
		if _, err := fmt.Sscanf(rest, "%d kB", &kib); err != nil {
			t.Fatalf("VmHWM in %s: %v", status, err)
		}
		most = max(most, kib<<10)
	}
	return most
}

// ticks returns the CPU that a function's processes have used, in hundredths of a second (proc_pid_stat(5)).
func (s stack) ticks(t testing.TB, function string) (ticks int) {
	t.Helper()
	for _, process := range s.processes(t, function) {
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
