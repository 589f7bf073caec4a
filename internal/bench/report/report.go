package main

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"
	"time"
)

// contentionBefore are results of BenchmarkContention at an earlier commit.
//
//go:embed contention-before.txt
var contentionBefore string

//go:embed report.md.tmpl
var text string

var layout = template.Must(template.New("report.md.tmpl").Parse(text))

// report is all of it, in Markdown.
func (r *results) report() (string, error) {
	before, err := readResults(strings.NewReader(contentionBefore), "contention-before.txt")
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = layout.Execute(&out, map[string]any{
		"Date": r.day(),
		"Runs": r.runs(),
		"Machine": fmt.Sprintf("%s cores of %s (%s/%s)",
			r.config["cores"], r.config["cpu"], r.config["goos"], r.config["goarch"]),
		"Go":         strings.TrimPrefix(r.config["go"], "go"),
		"Targets":    r.verdicts(),
		"Functions":  r.functions(),
		"Portals":    r.portals(),
		"Memory":     r.memorySizes(),
		"Pins":       r.pins(),
		"Contention": r.contention(before),
		"Before":     before.config["commit"],
		"Messages":   r.messages(),
		"WholeMails": r.wholeMails(),
		"PricesOf":   pricesOf,
		"TableTrip":  count(tableTrip * 1e3),
		"SESTrip":    count(sesTrip * 1e3),
	})
	return out.String(), err
}

// day is when the results were measured.
func (r *results) day() string {
	day, err := time.Parse(time.DateOnly, r.config["date"])
	if err != nil {
		return "an unknown day"
	}
	return day.Format("2 January 2006")
}
