package commandline

import (
	"fmt"
	"io"
	"time"
)

// progressEvery is how long a line of progress stands for.
const progressEvery = 3 * time.Second

// Progress is how far a command is.
type Progress struct {
	What     string // that is counted
	Done, Of int64  // Of is about as many as there are, 0 for unknown
}

// ProgressLines prints how far a command is, a line every few seconds.
type ProgressLines struct {
	w           io.Writer
	what        string
	since, last time.Time // what is counted began, and was printed last
	first       int64     // done at that time: an earlier run has done that
}

// NewProgressLines makes lines that go to a writer.
func NewProgressLines(w io.Writer) *ProgressLines { return &ProgressLines{w: w} }

// Show is told how far the command is, by one caller at a time.
func (p *ProgressLines) Show(now Progress) {
	at := time.Now()
	if p.what != now.What {
		p.what, p.since, p.last, p.first = now.What, at, at, now.Done
	}
	if at.Sub(p.last) < progressEvery {
		return
	}
	p.last = at
	fmt.Fprintln(p.w, describe(now, now.Done-p.first, at.Sub(p.since)))
}

// describe says how far a command is that has done so many in a time.
func describe(p Progress, done int64, in time.Duration) string {
	rate := float64(done) / in.Seconds()
	if p.Of == 0 {
		return fmt.Sprintf("%d %s, %.0f/s", p.Done, p.What, rate)
	}
	line := fmt.Sprintf("%d of about %d %s, %.0f/s", p.Done, p.Of, p.What, rate)
	if left := p.Of - p.Done; left > 0 && rate > 0 {
		line += fmt.Sprintf(", %s to go", time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))
	}
	return line
}
