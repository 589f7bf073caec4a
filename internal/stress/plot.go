package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"time"
)

// writePlot writes the plot of an experiment as SVG: panels over the time of the load, on bands for its phases.
func writePlot(path string, e *experiment) error {
	if err := os.WriteFile(path, []byte(e.plot()), 0o644); err != nil {
		return fmt.Errorf("write the plot: %w", err)
	}
	return nil
}

// plot draws three panels above each other on the same axis of time: requests, latencies and faults.
func (e *experiment) plot() string {
	const title = "frontdesk under faults"
	operations, injected := e.history.all(), e.injector.injected.all()
	note := fmt.Sprintf("%d clients, %d requests, %d faults in %v; seed %d",
		len(e.clients), len(operations), len(injected), e.duration, e.seed)
	bottom := bottomOf(2)
	s := new(svg)
	s.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" `+
		`font-family="Helvetica, Arial, sans-serif" font-size="14" fill="#222">`, plotWidth, bottom+48)
	s.add(`<title>%s: %s</title>`, title, note)
	s.add(`<rect width="%g" height="%g" fill="#fff"/>`, plotWidth, bottom+48)
	s.add(`<text x="%g" y="26" font-size="19" font-weight="bold">%s</text>`, plotLeft, title)
	s.add(`<text x="%g" y="48" fill="#555">%s</text>`, plotLeft, note)
	begin := 0.0
	for i, p := range e.phases {
		x, end := xOf(begin), xOf(begin+p.share)
		s.add(`<rect x="%.1f" y="%g" width="%.1f" height="%g" fill="%s"/>`, x, bandsTop, end-x, bottom-bandsTop,
			[]string{"#fafafa", "#f0f0f0"}[i%2])
		s.add(`<text x="%.1f" y="%g" font-size="12.5" text-anchor="middle">%s</text>`, (x+end)/2, bandsTop+16, p.name)
		begin += p.share
	}
	s.stacked(0, "Requests a second", e.requestRates(operations))
	s.logarithmic(1, "Latency of the requests that begin at the time", e.latencies(operations))
	s.stacked(2, "Faults injected a second", e.faultRates(injected))
	step := roundUp(e.duration.Seconds() / 8)
	for at := 0.0; at <= e.duration.Seconds(); at += step {
		x := xOf(at / e.duration.Seconds())
		s.add(`<text x="%.1f" y="%g" text-anchor="middle">%v</text>`, x, bottom+18,
			time.Duration(at*float64(time.Second)))
	}
	s.add(`<text x="%g" y="%g" text-anchor="end" fill="#555">time since the load began</text>`, plotRight, bottom+38)
	s.add(`</svg>`)
	return s.String()
}

// step returns the index of the step that a moment is in.
func (e *experiment) step(at time.Time) int {
	return min(max(int(float64(at.Sub(e.injector.begin))/float64(e.duration)*steps), 0), steps-1)
}

// perSecond returns how much one event adds to a rate.
func (e *experiment) perSecond() float64 { return steps / e.duration.Seconds() }

// requestRates counts the requests of each step, acknowledged or not, as rates a second.
func (e *experiment) requestRates(operations []operation) []series {
	list := []series{{name: "acknowledged", colour: "#4c8fbd"}, {name: "not acknowledged", colour: "#c8402f"}}
	for _, o := range operations {
		l := &list[0]
		if o.failure != "" {
			l = &list[1]
		}
		l.values[e.step(o.at)] += e.perSecond()
	}
	return list
}

// latencies returns percentiles of the times in each step, in seconds.
func (e *experiment) latencies(operations []operation) []series {
	var parts [steps][]operation
	for _, o := range operations {
		parts[e.step(o.at)] = append(parts[e.step(o.at)], o)
	}
	list := []series{
		{name: "p50", colour: "#4c8fbd"}, {name: "p90", colour: "#d08a1d"}, {name: "p99", colour: "#8a3a8f"},
	}
	for i, share := range []float64{0.5, 0.9, 0.99} {
		for j, part := range parts {
			list[i].values[j] = math.NaN()
			if len(part) > 0 {
				list[i].values[j] = percentile(durations(part), share).Seconds()
			}
		}
	}
	return list
}

// faultRates counts the faults of each step as rates a second. A series has all kinds whose name begins with its own.
func (e *experiment) faultRates(injected []injection) []series {
	list := []series{
		{name: "throttled", colour: "#7b9e3c"}, {name: "delayed", colour: "#b9a44c"},
		{name: "conflict", colour: "#d08a1d"}, {name: "500", colour: "#c8402f"},
		{name: "cut", colour: "#8a3a8f"}, {name: "killed", colour: "#333333"},
	}
	for _, i := range injected {
		for j := range list {
			if strings.HasPrefix(i.kind.name, list[j].name) {
				list[j].values[e.step(i.at)] += e.perSecond()
			}
		}
	}
	return list
}
