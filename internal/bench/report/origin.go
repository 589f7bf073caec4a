package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// setting returns when and on which machine the benchmarks that follow were run.
func (r *results) setting() string {
	c := r.config
	day := "an unknown day"
	if date, err := time.Parse(time.DateOnly, c["date"]); err == nil {
		day = date.Format("2 January 2006")
	}
	return fmt.Sprintf("%s, with Go %s on %s cores of %s (%s/%s)",
		day, strings.TrimPrefix(c["go"], "go"), c["cores"], c["cpu"], c["goos"], c["goarch"])
}

// origins returns a list of how often, when and on what each benchmark was run. The origin that most benchmarks share
// comes first: it is for all that the others do not name.
func (r *results) origins() string {
	names := map[string][]string{} // of benchmarks, by their origin
	var origins []string
	for _, name := range r.names {
		origin := fmt.Sprintf("in %s, %s", r.runs(name), r.settings[name])
		if names[origin] == nil {
			origins = append(origins, origin)
		}
		names[origin] = append(names[origin], name)
	}
	slices.SortStableFunc(origins, func(a, b string) int { return len(names[b]) - len(names[a]) })
	var list strings.Builder
	for i, origin := range origins {
		what := strings.Join(whole(names[origin]), ", ")
		if i == 0 {
			what = "all else"
		}
		if len(origins) == 1 {
			what = "all"
		}
		fmt.Fprintf(&list, "- %s: %s\n", what, origin)
	}
	return list.String()
}

// whole returns the names of benchmarks without their parts: MIME for MIME/message=newsletter.
func whole(names []string) (list []string) {
	for _, name := range names {
		if base, _, _ := strings.Cut(name, "/"); !slices.Contains(list, base) {
			list = append(list, base)
		}
	}
	return list
}

// runs returns how often a benchmark was run.
func (r *results) runs(name string) string {
	most := 0
	for _, values := range r.values[name] {
		most = max(most, len(values))
	}
	if most == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", most)
}
