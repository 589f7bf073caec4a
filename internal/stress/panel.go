package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Measures of the drawing, in its own units. It is as wide as a narrow browser window, so that its text stays legible
// when it is shown smaller.
const (
	plotWidth      = 800.0
	plotLeft       = 66.0 // where the panels begin
	plotRight      = 780.0
	panelHeight    = 140.0
	bandsTop       = 58.0 // where the phases' backgrounds begin
	panelsTop      = 124.0
	panelsApart    = 208.0 // from one panel's top to the next one's
	characterWidth = 6.8   // of the legends, about
)

// steps is how many values a series has over the time of the load.
const steps = 60

// series has a value for each step of the time; NaN for none.
type series struct {
	name, colour string
	values       [steps]float64
}

// svg builds a drawing.
type svg struct{ strings.Builder }

func (s *svg) add(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

// xOf returns the x of a share of the time.
func xOf(share float64) float64 { return plotLeft + share*(plotRight-plotLeft) }

// bottomOf returns the lower edge of the nth panel.
func bottomOf(n int) float64 { return panelsTop + float64(n)*panelsApart + panelHeight }

// panel begins a panel with an axis of its own, a title and a legend.
func (s *svg) panel(n int, title string, list []series) {
	top, x := bottomOf(n)-panelHeight, plotLeft
	s.add(`<text x="%g" y="%g" font-weight="bold">%s</text>`, plotLeft, top-25, title)
	for _, l := range list {
		s.add(`<rect x="%g" y="%g" width="11" height="11" fill="%s"/>`, x, top-18, l.colour)
		s.add(`<text x="%g" y="%g">%s</text>`, x+15, top-8, l.name)
		x += 32 + characterWidth*float64(len(l.name))
	}
}

// tick marks a value on the axis of a panel.
func (s *svg) tick(y float64, label string) {
	s.add(`<line x1="%g" x2="%g" y1="%.1f" y2="%.1f" stroke="#ccc"/>`, plotLeft, plotRight, y, y)
	s.add(`<text x="%g" y="%.1f" text-anchor="end">%s</text>`, plotLeft-6, y+5, label)
}

// stacked draws a panel of bars, with the series on top of each other.
func (s *svg) stacked(n int, title string, list []series) {
	s.panel(n, title, list)
	var sums, below [steps]float64
	highest := 0.0
	for _, l := range list {
		for i, value := range l.values {
			sums[i] += value
			highest = max(highest, sums[i])
		}
	}
	full := roundUp(highest)
	y := func(value float64) float64 { return bottomOf(n) - value/full*panelHeight }
	for _, share := range []float64{0, 0.5, 1} {
		s.tick(y(share*full), strconv.FormatFloat(share*full, 'g', 3, 64))
	}
	for _, l := range list {
		for i, value := range l.values {
			if value > 0 {
				s.add(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, xOf(float64(i)/steps),
					y(below[i]+value), (plotRight-plotLeft)/steps-1, value/full*panelHeight, l.colour)
			}
			below[i] += value
		}
	}
}

// logarithmic draws a panel of values in seconds, on an axis of powers of ten.
func (s *svg) logarithmic(n int, title string, list []series) {
	s.panel(n, title, list)
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range list {
		for _, value := range l.values {
			if value > 0 {
				low, high = min(low, value), max(high, value)
			}
		}
	}
	if low > high {
		return // there is nothing to draw
	}
	first := math.Floor(math.Log10(low))
	last := max(math.Ceil(math.Log10(high)), first+1)
	y := func(value float64) float64 { return bottomOf(n) - (math.Log10(value)-first)/(last-first)*panelHeight }
	for power := first; power <= last; power++ {
		value := math.Pow(10, power)
		s.tick(y(value), time.Duration(math.Round(value*float64(time.Second))).String())
	}
	for _, l := range list {
		var points strings.Builder
		for i, value := range l.values {
			if value > 0 {
				fmt.Fprintf(&points, "%.1f,%.1f ", xOf((float64(i)+0.5)/steps), y(value))
			}
		}
		s.add(`<polyline points="%s" fill="none" stroke="%s" stroke-width="2" stroke-linejoin="round"/>`,
			&points, l.colour)
	}
}

// roundUp returns the next round value for the end of an axis: 1, 2 or 5 times a power of ten.
func roundUp(value float64) float64 {
	if value <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(value)))
	for _, times := range []float64{1, 2, 5} {
		if value <= times*power {
			return times * power
		}
	}
	return 10 * power
}
