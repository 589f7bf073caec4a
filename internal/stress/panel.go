package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// The drawing's measures, in its own units. Its width is that of a narrow browser window, so that its letters stay
// legible where it is shown smaller.
const (
	chartWidth  = 800.0
	chartLeft   = 66.0 // where the panels begin
	chartRight  = 780.0
	panelHeight = 140.0
	bandsTop    = 58.0 // where the phases' backgrounds begin
	panelsTop   = 124.0
	panelsApart = 208.0 // from one panel's top to the next one's
	letterWidth = 6.8   // of the legends' letters, about
)

// steps is how many values a line has over the time of the load.
const steps = 60

// line is a value for each step of the time; NaN is none.
type line struct {
	Name, Colour string
	values       [steps]float64
}

// panel is a part of the drawing with an axis of its own.
type panel struct {
	Title       string
	Top, Bottom float64
	Ticks       []tick
	Legend      []entry
	Bars        []bar
	Paths       []path
}

// tick is a mark of an axis.
type tick struct {
	At    float64
	Label string
}

// entry names a line in a panel's legend.
type entry struct {
	X            float64
	Name, Colour string
}

type bar struct {
	X, Y, Width, Height float64
	Colour              string
}

type path struct{ Points, Colour string }

// xOf is where a share of the time stands.
func xOf(share float64) float64 { return chartLeft + share*(chartRight-chartLeft) }

func newPanel(place int, title string, lines []line) *panel {
	top := panelsTop + float64(place)*panelsApart
	p := &panel{Title: title, Top: top, Bottom: top + panelHeight}
	x := chartLeft
	for _, l := range lines {
		p.Legend = append(p.Legend, entry{x, l.Name, l.Colour})
		x += 32 + letterWidth*float64(len(l.Name))
	}
	return p
}

// stacked draws the lines as bars, one upon the other.
func stacked(place int, title string, lines []line) *panel {
	p := newPanel(place, title, lines)
	var sums [steps]float64
	highest := 0.0
	for _, l := range lines {
		for i, value := range l.values {
			sums[i] += value
			highest = max(highest, sums[i])
		}
	}
	full := roundUp(highest)
	y := func(value float64) float64 { return p.Bottom - value/full*panelHeight }
	for _, share := range []float64{0, 0.5, 1} {
		p.Ticks = append(p.Ticks, tick{y(share * full), strconv.FormatFloat(share*full, 'g', 3, 64)})
	}
	width := (chartRight - chartLeft) / steps
	var below [steps]float64
	for _, l := range lines {
		for i, value := range l.values {
			if value > 0 {
				p.Bars = append(p.Bars, bar{xOf(float64(i) / steps), y(below[i] + value), width - 1, y(below[i]) - y(below[i]+value), l.Colour})
			}
			below[i] += value
		}
	}
	return p
}

// roundUp gives an axis a round end: 1, 2 or 5 times a power of ten.
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

// logarithmic draws the lines, whose values are seconds, on an axis of powers of ten.
func logarithmic(place int, title string, lines []line) *panel {
	p := newPanel(place, title, lines)
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		for _, value := range l.values {
			if value > 0 {
				low, high = min(low, value), max(high, value)
			}
		}
	}
	if low > high {
		return p // there is nothing to draw
	}
	first := math.Floor(math.Log10(low))
	last := max(math.Ceil(math.Log10(high)), first+1)
	y := func(value float64) float64 {
		return p.Bottom - (math.Log10(value)-first)/(last-first)*panelHeight
	}
	for power := first; power <= last; power++ {
		value := math.Pow(10, power)
		p.Ticks = append(p.Ticks, tick{y(value), time.Duration(math.Round(value * float64(time.Second))).String()})
	}
	for _, l := range lines {
		var points strings.Builder
		for i, value := range l.values {
			if value > 0 {
				fmt.Fprintf(&points, "%.1f,%.1f ", xOf((float64(i)+0.5)/steps), y(value))
			}
		}
		p.Paths = append(p.Paths, path{points.String(), l.Colour})
	}
	return p
}
