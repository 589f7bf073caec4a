package matrix

import (
	"testing"

	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// proofs are tests that need only a stack, and share it: each attempt has a tenant of its own.
type proofs map[string]func(testing.TB, *fixture.Stack)

func (p proofs) run(t testing.TB, s *fixture.Stack) {
	t.Helper()
	for name, prove := range p {
		localtest.Case(t, name, func(t testing.TB) { prove(t, s) })
	}
}

// TestRequests sends every row under everything that must go well, or wrong, in the same way everywhere. The table is
// whole afterwards.
func TestRequests(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		proofs{
			"what requests take":        whatRequestsTake,
			"a call that fails once":    aCallThatFailsOnce,
			"a slow transaction":        aSlowTransaction,
			"a write that arrives late": aWriteThatArrivesLate,
			"the table is gone":         theTableIsGone,
			"events of sam local":       eventsOfSAMLocal,
			"forms under sam local":     formsUnderSAMLocal,
			"HEAD answers as GET":       headAnswersAsGET,
			"parameters of lists":       listsKnowTheirParameters,
			"pages have no numbers":     pagesHaveNoNumbers,
		}.run(t, s)
		finishDeletions(t, s)
	})
}

// TestStrangers sends every row in ways that may not succeed. Some of them begin with damage, which stays.
func TestStrangers(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		proofs{
			"wrong callers":         wrongCallers,
			"ended callers":         endedCallers,
			"forms of a credential": formsOfACredential,
			"targets that are none": targetsThatAreNone,
		}.run(t, start(t))
	})
}
