package plaintext

import (
	"fmt"
	"time"
)

// effort is what a conversion has done so far. Every loop over what the HTML brings counts its steps here, and ends
// when a step says so. Each step is short, or linear in the text that it reads.
type effort struct {
	until time.Time
	steps int
	err   error // why the conversion stops; nil while it goes on
}

// stepsBetweenLooks is how many steps are taken without a look at the clock, because a look takes longer than most
// steps.
const stepsBetweenLooks = 256

var (
	errTooLong = fmt.Errorf("its text is over %d bytes", maxPlaintext)
	errTooSlow = fmt.Errorf("it took over %s", convertedWithin)
)

func newEffort(within time.Duration) *effort { return &effort{until: time.Now().Add(within)} }

// stop counts a step, and reports whether the conversion must end instead of taking it.
func (e *effort) stop() bool {
	if e.steps%stepsBetweenLooks == 0 && e.err == nil && time.Now().After(e.until) {
		e.err = errTooSlow
	}
	e.steps++
	return e.err != nil
}

// bound stops the conversion if a text has more bytes than a plain text may have.
func (e *effort) bound(bytes int) {
	if bytes > maxPlaintext && e.err == nil {
		e.err = errTooLong
	}
}
