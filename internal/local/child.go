package local

import (
	"io"
	"os/exec"
	"syscall"
	"time"
)

// child is a program that the stack has started: in a process group of its own, so that it ends
// with all that it started and a Ctrl-C in the terminal is not meant for it, and ended by the
// kernel, where that is possible, when this process dies without ending it.
type child struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when it has ended and its output is written
	err   error         // why; read it after ended
}

// startChild starts cmd. Its output goes to stdout and stderr, which are closed in the end.
func startChild(cmd *exec.Cmd, stdout, stderr io.WriteCloser) (*child, error) {
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = childAttributes()
	cmd.WaitDelay = time.Second // for the pipes, if something that it started holds them
	if err := forkChild(cmd); err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, ended: make(chan struct{})}
	go func() {
		c.err = cmd.Wait()
		stdout.Close()
		stderr.Close()
		close(c.ended)
	}()
	return c, nil
}

// kill ends the program and all that it started, and waits for that.
func (c *child) kill() {
	c.signal(syscall.SIGKILL)
	<-c.ended
}

// stop asks the program to end, and kills it when it has not done so after the grace.
func (c *child) stop(grace time.Duration) {
	c.signal(syscall.SIGTERM)
	select {
	case <-c.ended:
	case <-time.After(grace):
		c.kill()
	}
}

func (c *child) signal(s syscall.Signal) {
	select {
	case <-c.ended: // its number may be another's by now
	default:
		syscall.Kill(-c.cmd.Process.Pid, s)
	}
}
