package local

import (
	"time"

	"frontdesk/internal/develop/local/rebuild"
)

// SetInitTimeout shortens the time that a process has to start.
func SetInitTimeout(o *Options, limit time.Duration) { o.initTimeout = limit }

// FailBuild reports what the compiler said or, without output, that everything builds again.
func (s *Stack) FailBuild(output string) {
	s.builds.Update(func(now *rebuild.State) { now.Failure = output })
}
