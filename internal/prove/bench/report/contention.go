package main

import "strings"

// failure returns the HTTP status whose share a unit counts, such as 409 of "status-409/op".
func failure(unit string) (status string, ok bool) {
	status, ok = strings.CutPrefix(unit, "status-")
	return strings.TrimSuffix(status, "/op"), ok
}

// failed returns the shares of failed requests with 64 clients, for some kinds.
func (r *results) failed(kinds ...string) (shares []float64) {
	for _, kind := range kinds {
		shares = append(shares, r.shares("Contention/kind="+kind+"/clients=64", func(string) bool { return true })...)
	}
	return shares
}

// serverErrors returns the shares of status 500, for all kinds and numbers of clients.
func (r *results) serverErrors() (shares []float64) {
	for _, name := range r.under("Contention") {
		shares = append(shares, r.shares("Contention/"+name, func(status string) bool { return status == "500" })...)
	}
	return shares
}

// shares returns the sum of the shares of wanted statuses, nothing if the benchmark was not run.
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
