package commandline

import (
	"fmt"
	"io"
	"time"
)

// progressEvery is the time between two lines of progress. A command that ends sooner prints none.
const progressEvery = 3 * time.Second

// Progress is how far a command is.
type Progress struct {
	What        string // what is counted, such as "items"
	Done, Total int64  // Total is the approximate number of all, 0 for unknown
}

// ProgressLines prints every few seconds how far a command is. Each line is a line of its own, and replaces none, so
// a log of the command can be read as well.
type ProgressLines struct {
	w           io.Writer
	what        string
	since, last time.Time // when counting began, and when a line was printed last
	first       int64     // done when counting began, by an earlier run
}

// NewProgressLines returns lines that go to w.
func NewProgressLines(w io.Writer) *ProgressLines { return &ProgressLines{w: w} }

// Show takes how far the command is, and prints it if the last line is old enough. Only one goroutine may call it at
// a time. When the command counts something else, the rate starts anew.
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

// describe returns a line of progress. done is how many this run has done, in that time. The rate is theirs: p.Done
// also counts those that an earlier, interrupted run has done.
func describe(p Progress, done int64, in time.Duration) string {
	rate := float64(done) / in.Seconds()
	if p.Total == 0 {
		return fmt.Sprintf("%d %s, %.0f/s", p.Done, p.What, rate)
	}
	line := fmt.Sprintf("%d of about %d %s, %.0f/s", p.Done, p.Total, p.What, rate)
	if rest := p.Total - p.Done; rest > 0 && rate > 0 {
		line += fmt.Sprintf(", %s to go", time.Duration(float64(rest)/rate*float64(time.Second)).Round(time.Second))
	}
	return line
}
