package local

import (
	"time"

	"frontdesk/internal/local/rebuild"
)

// SetLimits shortens waits for which tests have no time. Zero keeps the service's own.
func SetLimits(o *Options, integration, init time.Duration) {
	o.integrationTimeout, o.initTimeout = integration, init
}

// FailBuild reports that a function could not be built or, without output, that it builds again.
func (s *Stack) FailBuild(id, output string) {
	s.builds.Update(func(now *rebuild.State) {
		if now.Failures = []rebuild.Failure{{Functions: []string{id}, Output: output}}; output == "" {
			now.Failures = []rebuild.Failure{}
		}
	})
}
