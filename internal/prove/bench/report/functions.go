package main

import (
	"fmt"
	"strings"
)

// functions returns a table with a row for each function, and for the two that they are compared with.
func (r *results) functions() string {
	var t table
	t.add("", "cold start", "zip", "warm", "CPU", "round trips", "units", "billed", "$ per million")
	seen := map[string]bool{}
	for _, name := range r.under("Warm") {
		function, kind, _ := strings.Cut(strings.TrimPrefix(name, "function="), "/kind=")
		start, zip := "", ""
		if !seen[function] { // it starts the same, whatever it is asked
			start, zip = r.start("ColdStart/function="+function), r.zip("ColdStart/function="+function)
			seen[function] = true
		}
		warm := "Warm/" + name
		billed, price := none, none
		if u, ok := r.usage(warm); ok {
			billed, price = count(u.billed())+" ms", fmt.Sprintf("%.2f", u.price()*1e6)
		}
		t.add(label(function, kind), start, zip,
			r.cell(warm, "median-sec", milliseconds),
			r.cell(warm, "cpu-sec", milliseconds)+", "+r.cell(warm, "cpu-x-get-item", multiple),
			r.cell(warm, "trips/op", count),
			r.units(warm),
			billed,
			price)
	}
	if u, ok := r.usage("Warm/" + recorder); ok { // a mail that is sent and delivered has two events
		price := fmt.Sprintf("%.2f", 2*u.price()*1e6)
		t.add("outcome of a mail: two events", "", "", "", "", "", "", "", price)
	}
	return t.String()
}

// recorder is the function that EventBridge calls instead of the HTTP API. EventBridge delivers SES's events
// for nothing.
const recorder = "function=record-mail-event"

// label names a function, and its kind of request if there are several: "of-a-parent".
func label(function, kind string) string {
	if kind == "" {
		return "`" + function + "`"
	}
	return "`" + function + "` " + strings.ReplaceAll(kind, "-", " ")
}

// start returns the cell of a cold start, beside that of hello-world in the same rounds.
func (r *results) start(name string) string {
	return r.cell(name, "median-sec", milliseconds) + " beside " + r.cell(name, "hello-sec", milliseconds) + ", " +
		r.cell(name, "x-hello", multiple)
}

// zip returns the cell of a zip file's size.
func (r *results) zip(name string) string {
	return r.cell(name, "zip-bytes", megabytes) + ", " + r.cell(name, "zip-x-hello", multiple)
}

// units returns the capacity units that a request reads and writes.
func (r *results) units(name string) string {
	return r.cell(name, "read-units/op", count) + " + " + r.cell(name, "write-units/op", count)
}

// usage returns what a request takes; false unless all of it was measured.
func (r *results) usage(name string) (u usage, ok bool) {
	for unit, into := range map[string]*float64{
		"cpu-sec": &u.cpu, "memory-B": &u.memory, "trips/op": &u.trips, "mails/op": &u.mails,
		"read-units/op": &u.read, "write-units/op": &u.write,
	} {
		*into, ok = r.get(name, unit)
		if !ok {
			return usage{}, false
		}
	}
	u.memory /= 1e6
	u.invoked = name == "Warm/"+recorder
	return u, true
}

// cell returns a figure as text, or [none] if it was not measured.
func (r *results) cell(name, unit string, write func(float64) string) string {
	if v, ok := r.get(name, unit); ok {
		return write(v)
	}
	return none
}
