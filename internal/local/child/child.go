// Package child runs programs that end with all that they have started, and with the stack. What a virtual machine is
// to a function in Lambda, a process group is here.
package child

import (
	"errors"
	"io"
	"os/exec"
	"syscall"
	"time"
)

// Process is a program in a process group of its own: a Ctrl-C in the terminal is not meant for it. Where that is
// possible (on Linux), the kernel ends it when this process dies without ending it.
type Process struct {
	cmd   *exec.Cmd
	Ended chan struct{} // closed when it has ended and its output is written
	Err   error         // how, which is never nil: no program of the stack ends by itself; to be read after Ended
}

// Start starts cmd. Its output goes to stdout and stderr, which are closed in the end.
func Start(cmd *exec.Cmd, stdout, stderr io.WriteCloser) (*Process, error) {
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = childAttributes()
	cmd.WaitDelay = time.Second // for the pipes, if something that it started holds them
	if err := forkChild(cmd); err != nil {
		return nil, err
	}
	c := &Process{cmd: cmd, Ended: make(chan struct{})}
	go func() {
		c.Err = cmd.Wait()
		if c.Err == nil {
			c.Err = errors.New("exit status 0")
		}
		stdout.Close()
		stderr.Close()
		close(c.Ended)
	}()
	return c, nil
}

// Kill ends the program and all that it started, and waits for that.
func (c *Process) Kill() {
	c.signal(syscall.SIGKILL)
	<-c.Ended
}

// Stop asks the program to end, and kills it when it has not done so after the grace.
func (c *Process) Stop(grace time.Duration) {
	c.signal(syscall.SIGTERM)
	select {
	case <-c.Ended:
	case <-time.After(grace):
		c.Kill()
	}
}

func (c *Process) signal(s syscall.Signal) {
	select {
	case <-c.Ended: // its number may be another's by now
	default:
		signalGroup(c.cmd.Process, s)
	}
}
