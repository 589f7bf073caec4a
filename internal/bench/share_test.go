package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// share is a control group whose processes get a part of one core, as Lambda gives it by the memory size.
type share struct{ folder string }

const (
	controlGroups = "/sys/fs/cgroup"
	// sharePeriod is how often the part is given, in microseconds. AWS does not say it; functions that look at their
	// clock see pauses of up to 20 ms.
	sharePeriod = 20_000
)

// newShare makes the control group for a memory size in MB. The benchmark is left out where that is not allowed: it
// takes root, and the kernel's cpu controller.
// https://docs.kernel.org/scheduler/sched-bwc.html, https://docs.kernel.org/admin-guide/cgroup-v2.html
func newShare(b *testing.B, memory int) *share {
	b.Helper()
	quota := strconv.Itoa(sharePeriod * memory / WholeCore)
	parent, limits := filepath.Join(controlGroups, "cpu"), [][2]string{
		{"cpu.cfs_period_us", strconv.Itoa(sharePeriod)}, {"cpu.cfs_quota_us", quota},
	}
	if _, err := os.Stat(parent); err != nil { // the second version of control groups
		parent, limits = controlGroups, [][2]string{{"cpu.max", quota + " " + strconv.Itoa(sharePeriod)}}
	}
	folder, err := os.MkdirTemp(parent, "bench-")
	if err != nil {
		b.Skipf("not measured, for want of a control group: %v", err)
	}
	b.Cleanup(func() { _ = os.Remove(folder) })
	for _, l := range limits {
		if err := os.WriteFile(filepath.Join(folder, l[0]), []byte(l[1]), 0o644); err != nil {
			b.Skipf("not measured, for want of the cpu controller: %v", err)
		}
	}
	return &share{folder}
}

// start starts a command in the group: a shell that becomes the command once it is there, which is when that began.
func (s *share) start(cmd *exec.Cmd) (began time.Time, err error) {
	cmd.Args = []string{"sh", "-c", `read -r begin && exec "$0"`, cmd.Path}
	cmd.Path = "/bin/sh"
	begin, err := cmd.StdinPipe()
	if err != nil {
		return began, err
	}
	if err := cmd.Start(); err != nil {
		return began, err
	}
	pid := strconv.Itoa(cmd.Process.Pid)
	if err := os.WriteFile(filepath.Join(s.folder, "cgroup.procs"), []byte(pid), 0o644); err != nil {
		_, _ = cmd.Process.Kill(), cmd.Wait()
		return began, fmt.Errorf("put into the control group: %w", err)
	}
	began = time.Now()
	_, err = begin.Write([]byte("\n"))
	return began, err
}
