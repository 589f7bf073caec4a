package main

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"
	"time"
)

//go:embed report.md.tmpl
var text string

var layout = template.Must(template.New("report.md.tmpl").Parse(text))

// report returns the whole report, in Markdown.
func (r *results) report() (string, error) {
	var out strings.Builder
	err := layout.Execute(&out, map[string]any{
		"Origin":     r.origin(),
		"Targets":    r.verdicts(),
		"Functions":  r.functions(),
		"Bills":      r.bills(),
		"Largest":    r.largest(),
		"RequestLog": count(loggedRequest / 1e3),
		"MailLog":    count(loggedMail / 1e3),
		"PricesOf":   pricesOf,
		"TableTrip":  count(tableTrip * 1e3),
		"SESTrip":    count(sesTrip * 1e3),
	})
	return out.String(), err
}

// origin says how often, when and on which machine the results were measured last.
func (r *results) origin() string {
	c, runs := r.config, 0
	for _, values := range r.values[r.names[0]] {
		runs = max(runs, len(values))
	}
	day := "an unknown day"
	if date, err := time.Parse(time.DateOnly, c["date"]); err == nil {
		day = date.Format("2 January 2006")
	}
	return fmt.Sprintf("%s, medians of %d runs, with Go %s on %s cores of %s (%s/%s)",
		day, runs, strings.TrimPrefix(c["go"], "go"), c["cores"], c["cpu"], c["goos"], c["goarch"])
}
