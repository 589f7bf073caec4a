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

// share is a control group that gives a process as much of one core as Lambda gives for a memory size: a whole core
// until the process asks for its first event, and then a part of one.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
type share struct {
	folder string // of the control group
	memory int    // MB
}

const (
	controlGroups = "/sys/fs/cgroup"
	// sharePeriod is how often the group gets its part, in microseconds. AWS does not document it; functions that
	// watch their clock see pauses of up to 20 ms.
	sharePeriod = 20_000
)

// newShare makes the control group for a memory size in MB. It skips the benchmark if that is not allowed: it takes
// root, and the kernel's cpu controller.
// https://docs.kernel.org/scheduler/sched-bwc.html, https://docs.kernel.org/admin-guide/cgroup-v2.html
func newShare(b *testing.B, memory int) *share {
	b.Helper()
	parent := filepath.Join(controlGroups, "cpu")
	if _, err := os.Stat(parent); err != nil { // the second version of control groups
		parent = controlGroups
	}
	folder, err := os.MkdirTemp(parent, "bench-")
	if err != nil {
		b.Skipf("not measured, for want of a control group: %v", err)
	}
	b.Cleanup(func() { _ = os.Remove(folder) })
	s := &share{folder, memory}
	if err := s.give(WholeCore); err != nil {
		b.Skipf("not measured, for want of the cpu controller: %v", err)
	}
	return s
}

// give gives the group the part of a core that a memory size in MB buys.
func (s *share) give(memory int) error {
	period, quota := strconv.Itoa(sharePeriod), strconv.Itoa(sharePeriod*memory/WholeCore)
	if _, err := os.Stat(filepath.Join(s.folder, "cpu.max")); err == nil { // the second version of control groups
		return s.set("cpu.max", quota+" "+period)
	}
	if err := s.set("cpu.cfs_period_us", period); err != nil {
		return err
	}
	return s.set("cpu.cfs_quota_us", quota)
}

func (s *share) set(file, value string) error {
	return os.WriteFile(filepath.Join(s.folder, file), []byte(value), 0o644)
}

// start starts a command in the group. The process begins as a shell, and becomes the command when it is in the
// group: began is that moment.
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
	err = s.give(WholeCore)
	if err == nil {
		err = s.set("cgroup.procs", strconv.Itoa(cmd.Process.Pid))
	}
	if err != nil {
		_, _ = cmd.Process.Kill(), cmd.Wait()
		return began, fmt.Errorf("put into the control group: %w", err)
	}
	began = time.Now()
	_, err = begin.Write([]byte("\n"))
	return began, err
}
