package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// results are what the benchmarks measured.
type results struct {
	config map[string]string // the last value of each key: cpu, go, date …
	names  []string          // of the benchmarks, in their order: ColdStart/function=docs
	values map[string]map[string][]float64
}

// readResults reads Go's benchmark format. The name is for error messages.
// https://go.dev/design/14313-benchmark-format
func readResults(in io.Reader, name string) (*results, error) {
	r := &results{config: map[string]string{}, values: map[string]map[string][]float64{}}
	reader := benchfmt.NewReader(in, name)
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.Result:
			r.add(record)
		case *benchfmt.SyntaxError:
			return nil, fmt.Errorf("read results: %w", record)
		}
	}
	if err := reader.Err(); err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	if len(r.names) == 0 {
		return nil, fmt.Errorf("read results: %s has none", name)
	}
	return r, nil
}

// add adds one line of results. Later runs of a benchmark add further values to the same units.
func (r *results) add(record *benchfmt.Result) {
	base, parts := record.Name.Parts()
	name := string(base)
	for _, part := range parts {
		if part[0] == '/' { // the other is the number of cores
			name += string(part)
		}
	}
	for _, c := range record.Config {
		r.config[c.Key] = string(c.Value)
	}
	if r.values[name] == nil {
		r.names = append(r.names, name)
		r.values[name] = map[string][]float64{}
	}
	for _, v := range record.Values {
		r.values[name][v.Unit] = append(r.values[name][v.Unit], v.Value)
	}
}

// under returns the names of a benchmark's parts: "function=docs" for ColdStart.
func (r *results) under(benchmark string) []string {
	var names []string
	for _, name := range r.names {
		if rest, ok := strings.CutPrefix(name, benchmark+"/"); ok {
			names = append(names, rest)
		}
	}
	return names
}

// get returns the median of a benchmark's figures in a unit; ok is false if there are none. Times are in seconds: the
// reader converts ns.
func (r *results) get(name, unit string) (v float64, ok bool) {
	sorted := slices.Sorted(slices.Values(r.values[name][unit]))
	if len(sorted) == 0 {
		return 0, false
	}
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2, true
}
