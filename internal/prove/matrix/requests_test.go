package matrix

import (
	"testing"

	"frontdesk/internal/prove/fixture"
)

// proofs are tests that need only a stack. They share it and run at the same time, as on a day on which much goes
// wrong: each attempt has a tenant of its own.
type proofs map[string]func(*testing.T, *fixture.Stack)

func (p proofs) run(t *testing.T, s *fixture.Stack) {
	t.Helper()
	t.Run("each", func(t *testing.T) {
		for name, prove := range p {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				prove(t, s)
			})
		}
	})
}

// TestRequests sends every row under everything that must go well, or wrong, in the same way everywhere. The table is
// whole afterwards.
func TestRequests(t *testing.T) {
	t.Parallel()
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
}

// TestStrangers sends every row in ways that may not succeed. Some of them begin with damage, which stays.
func TestStrangers(t *testing.T) {
	t.Parallel()
	proofs{
		"wrong callers":         wrongCallers,
		"ended callers":         endedCallers,
		"forms of a credential": formsOfACredential,
		"targets that are none": targetsThatAreNone,
	}.run(t, start(t))
}
