package processes

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asParent is the variable that turns the test binary into a parent with a child.
const asParent = "CHILD_TEST_PARENT"

// TestChildEndsWithAParentThatIsKilled kills a parent, which has no chance to clean up. The kernel has to end
// the child.
func TestChildEndsWithAParentThatIsKilled(t *testing.T) {
	if os.Getenv(asParent) != "" { // start a child, print its process id and wait
		child, err := Start(exec.Command("sleep", "3600"), nopCloser{io.Discard}, nopCloser{io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("child", child.cmd.Process.Pid)
		<-child.Ended
		return
	}
	parent := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	parent.Env = append(os.Environ(), asParent+"=1")
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	for lines := bufio.NewScanner(stdout); pid == 0 && lines.Scan(); {
		if number, ok := strings.CutPrefix(lines.Text(), "child "); ok {
			pid, _ = strconv.Atoi(number)
		}
	}
	if pid == 0 {
		t.Fatal("the parent has started no child")
	}
	// SIGKILL: no handler and no deferred function of the parent runs.
	parent.Process.Kill()
	parent.Wait()
	for deadline := time.Now().Add(time.Minute); running(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("the child lives on")
		}
	}
}

// running returns false for a zombie too: it has ended, and only its new parent has not collected it.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// TestChildThatDoesNotStopIsKilled uses a child that ignores SIGTERM.
func TestChildThatDoesNotStopIsKilled(t *testing.T) {
	cmd := exec.Command("sh", "-c", "trap '' TERM; sleep 3600")
	child, err := Start(cmd, nopCloser{io.Discard}, nopCloser{io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	child.Stop(10 * time.Millisecond)
	if running(child.cmd.Process.Pid) {
		t.Error("the child lives on")
	}
}

// nopCloser is a log that need not be closed.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
