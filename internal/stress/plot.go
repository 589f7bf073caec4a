package main

import (
	_ "embed"
	"fmt"
	"math"
	"os"
	"strings"
	"text/template"
	"time"
)

//go:embed plot.svg.tmpl
var plotText string

var plotTemplate = template.Must(template.New("plot").Parse(plotText))

// drawing is what the template draws: panels over the time of the load, on bands for its phases.
type drawing struct {
	Title, Note string
	Width       float64
	Height      float64
	Left, Right float64
	Bottom      float64
	Bands       []band
	Panels      []*panel
	Times       []tick
}

// band is the background of a phase.
type band struct {
	X, Y, Width, Height, Middle float64
	Name                        string
	Dark                        bool
}

// writePlot writes the plot of a trial as SVG.
func writePlot(path string, t *trial) error {
	var text strings.Builder
	if err := plotTemplate.Execute(&text, draw(t)); err != nil {
		return fmt.Errorf("draw the plot: %w", err)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		return fmt.Errorf("write the plot: %w", err)
	}
	return nil
}

func draw(t *trial) drawing {
	samples, injected := t.record.all(), t.faults.all()
	d := drawing{
		Title: "frontdesk under faults",
		Note:  fmt.Sprintf("%d clients, %d requests, %d faults in %v; seed %d", len(t.clients), len(samples), len(injected), t.duration, t.seed),
		Width: chartWidth, Left: chartLeft, Right: chartRight,
		Panels: []*panel{
			stacked(0, "Requests a second", t.requestRates(samples)),
			logarithmic(1, "Latency of the requests that begin at the time", t.latencies(samples)),
			stacked(2, "Faults injected a second", t.faultRates(injected)),
		},
	}
	d.Bottom = d.Panels[len(d.Panels)-1].Bottom
	d.Height = d.Bottom + 48
	begin := 0.0
	for i, p := range t.phases {
		x, end := xOf(begin), xOf(begin+p.share)
		d.Bands = append(d.Bands, band{
			X: x, Y: bandsTop, Width: end - x, Height: d.Bottom - bandsTop, Middle: (x + end) / 2, Name: p.name, Dark: i%2 == 1,
		})
		begin += p.share
	}
	step := roundUp(t.duration.Seconds() / 8)
	for at := 0.0; at <= t.duration.Seconds(); at += step {
		d.Times = append(d.Times, tick{xOf(at / t.duration.Seconds()), time.Duration(at * float64(time.Second)).String()})
	}
	return d
}

// step is the part of the time that a moment is in.
func (t *trial) step(at time.Time) int {
	return min(max(int(float64(at.Sub(t.faults.begin))/float64(t.duration)*steps), 0), steps-1)
}

// perSecond is what one event adds to a rate.
func (t *trial) perSecond() float64 { return steps / t.duration.Seconds() }

func (t *trial) requestRates(samples []sample) []line {
	acknowledged, others := line{Name: "acknowledged", Colour: "#4c8fbd"}, line{Name: "not acknowledged", Colour: "#c8402f"}
	for _, s := range samples {
		l := &acknowledged
		if s.failure != "" {
			l = &others
		}
		l.values[t.step(s.at)] += t.perSecond()
	}
	return []line{acknowledged, others}
}

func (t *trial) latencies(samples []sample) []line {
	var parts [steps][]sample
	for _, s := range samples {
		parts[t.step(s.at)] = append(parts[t.step(s.at)], s)
	}
	lines := []line{{Name: "p50", Colour: "#4c8fbd"}, {Name: "p90", Colour: "#d08a1d"}, {Name: "p99", Colour: "#8a3a8f"}}
	for i, share := range []float64{0.5, 0.9, 0.99} {
		for j, part := range parts {
			lines[i].values[j] = math.NaN()
			if len(part) > 0 {
				lines[i].values[j] = percentile(durations(part), share).Seconds()
			}
		}
	}
	return lines
}

func (t *trial) faultRates(injected []injection) []line {
	lines := []line{
		{Name: "throttled", Colour: "#7b9e3c"}, {Name: "delayed", Colour: "#b9a44c"}, {Name: "conflict", Colour: "#d08a1d"},
		{Name: "500", Colour: "#c8402f"}, {Name: "cut", Colour: "#8a3a8f"}, {Name: "killed", Colour: "#333333"},
	}
	of := [kinds]int{throttled: 0, delayed: 1, conflict: 2, serverError: 3, cutBefore: 4, cutAfter: 4, killedBefore: 5, killedAfter: 5, killedIdle: 5}
	for _, i := range injected {
		lines[of[i.kind]].values[t.step(i.at)] += t.perSecond()
	}
	return lines
}
