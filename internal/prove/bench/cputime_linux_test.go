package bench

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the processor's time that the process has used since the last call. The kernel's clock of a process
// counts nanoseconds; /proc only counts hundredths of a second.
// https://man7.org/linux/man-pages/man3/clock_getcpuclockid.3.html
func (s *process) cpuTime() (time.Duration, error) {
	var now unix.Timespec
	clock := ^int32(s.cmd.Process.Pid)<<3 | 2 // CPUCLOCK_SCHED: user and system, all threads
	if err := unix.ClockGettime(clock, &now); err != nil {
		return 0, fmt.Errorf("read the processor's clock of a process: %w", err)
	}
	before := s.cpu
	s.cpu = time.Duration(now.Nano())
	return s.cpu - before, nil
}
