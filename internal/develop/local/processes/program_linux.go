package processes

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// forkChild starts cmd from a thread that lives as long as this process. Linux sends Pdeathsig when the forking thread
// ends (prctl(2), PR_SET_PDEATHSIG), and Go may end any thread that is not locked.
func forkChild(cmd *exec.Cmd) error {
	started := make(chan error)
	forks() <- fork{cmd, started}
	return <-started
}

type fork struct {
	cmd     *exec.Cmd
	started chan<- error
}

// forks is the queue of that thread.
var forks = sync.OnceValue(func() chan<- fork {
	queue := make(chan fork)
	go func() {
		runtime.LockOSThread()
		for f := range queue {
			f.started <- f.cmd.Start()
		}
	}()
	return queue
})
