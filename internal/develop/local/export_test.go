package local

import (
	"time"

	"frontdesk/internal/develop/local/rebuild"
)

// SetLimits shortens waits for which tests have no time. Zero keeps the service's own.
func SetLimits(o *Options, integration, init time.Duration) {
	o.integrationTimeout, o.initTimeout = integration, init
}

// FailBuild reports what the compiler said or, without output, that everything builds again.
func (s *Stack) FailBuild(output string) {
	s.builds.Update(func(now *rebuild.State) { now.Failure = output })
}
