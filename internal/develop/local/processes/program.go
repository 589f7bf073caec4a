// Package processes runs programs that end together with everything they have started, and with the stack, and locks
// files between processes. A process group does here what a virtual machine does for a function in Lambda.
package processes

import (
	"errors"
	"io"
	"os/exec"
	"syscall"
	"time"
)

// Process is a program in a process group of its own, so that a Ctrl-C in the terminal does not reach it. On Linux, the
// kernel ends it when this process dies without ending it.
type Process struct {
	cmd   *exec.Cmd
	Ended chan struct{} // closed when the program has ended and its output is written
	Err   error         // why it ended, to be read after Ended; never nil, as no program of the stack ends by itself
}

// Start starts cmd. Its output goes to stdout and stderr, which Start closes in the end.
func Start(cmd *exec.Cmd, stdout, stderr io.WriteCloser) (*Process, error) {
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = childAttributes()
	cmd.WaitDelay = time.Second // for pipes that a program started by it may keep open
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

// Kill ends the program and everything it has started, and waits for that.
func (c *Process) Kill() {
	c.signal(syscall.SIGKILL)
	<-c.Ended
}

// Stop asks the program to end, and kills it if it has not ended after the grace.
func (c *Process) Stop(grace time.Duration) {
	c.signal(syscall.SIGTERM)
	select {
	case <-c.Ended:
	case <-time.After(grace):
		c.Kill()
	}
}

// signal does nothing once the program has ended.
func (c *Process) signal(s syscall.Signal) {
	select {
	case <-c.Ended: // another process may have its id by now
	default:
		signalGroup(c.cmd.Process, s)
	}
}
