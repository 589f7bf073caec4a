package main

import (
	"maps"
	"slices"
	"strings"
)

// contention is a table of what clients at the same time achieve, and what of theirs fails: each kind as it is, below a
// row of how it was before, if that was measured.
func (r *results) contention(before *results) string {
	kinds, clients := r.axes("Contention", "kind", "clients")
	var t table
	t.add(append([]string{"clients"}, clients...)...)
	row := func(of *results, kind, title string) {
		cells := []string{title}
		for _, n := range clients {
			cells = append(cells, of.contended("Contention/kind="+kind+"/clients="+n))
		}
		t.add(cells...)
	}
	known, _ := before.axes("Contention", "kind", "clients")
	for _, kind := range kinds {
		if slices.Contains(known, kind) {
			row(before, kind, kind+", before")
		}
		row(r, kind, kind)
	}
	return t.String()
}

// contended is a cell of that table.
func (r *results) contended(name string) string {
	cell := r.cell(name, "succeeded/s", func(v float64) string { return significant(v) + "/s" })
	for _, unit := range slices.Sorted(maps.Keys(r.values[name])) {
		if status, ok := failure(unit); ok {
			cell += ", " + status + ": " + r.cell(name, unit, percent)
		}
	}
	return cell
}

// failure is the status of which a unit counts the share.
func failure(unit string) (status string, ok bool) {
	status, ok = strings.CutPrefix(unit, "status-")
	return strings.TrimSuffix(status, "/op"), ok
}

// failed is the share of requests that failed with the most clients, of some kinds.
func (r *results) failed(kinds ...string) (shares []float64) {
	for _, kind := range kinds {
		shares = append(shares, r.shares("Contention/kind="+kind+"/clients=64", func(string) bool { return true })...)
	}
	return shares
}

// serverErrors are the shares of status 500, of all kinds with any number of clients.
func (r *results) serverErrors() (shares []float64) {
	for _, name := range r.under("Contention") {
		shares = append(shares, r.shares("Contention/"+name, func(status string) bool { return status == "500" })...)
	}
	return shares
}

// shares is the sum of those with a status that is wanted, if the benchmark was run.
func (r *results) shares(name string, wanted func(status string) bool) []float64 {
	if len(r.values[name]) == 0 {
		return nil
	}
	sum := 0.0
	for unit := range r.values[name] {
		if status, ok := failure(unit); ok && wanted(status) {
			v, _ := r.get(name, unit)
			sum += v
		}
	}
	return []float64{sum}
}
