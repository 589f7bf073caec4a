package main

import (
	_ "embed"
	"strings"
	"text/template"

	"frontdesk/internal/bench"
)

// contentionBefore has results of BenchmarkContention at an earlier commit.
//
//go:embed contention-before.txt
var contentionBefore string

//go:embed report.md.tmpl
var text string

var layout = template.Must(template.New("report.md.tmpl").Parse(text))

// report returns the whole report, in Markdown.
func (r *results) report() (string, error) {
	before, err := readResults(strings.NewReader(contentionBefore), "contention-before.txt")
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = layout.Execute(&out, map[string]any{
		"Origins":    r.origins(),
		"Targets":    r.verdicts(),
		"Functions":  r.functions(),
		"Answers":    r.firstAnswers(),
		"Portals":    r.portals(),
		"Memory":     r.memorySizes(),
		"Pins":       r.pins(),
		"Bills":      r.bills(),
		"Largest":    r.largest(),
		"RequestLog": count(loggedRequest / 1e3),
		"MailLog":    count(loggedMail / 1e3),
		"Contention": r.contention(before),
		"Before":     before.config["commit"],
		"Messages":   r.messages(),
		"WholeMails": r.wholeMails(),
		"Distance":   bench.Distance.Milliseconds(),
		"Roots":      bench.Roots,
		"PricesOf":   pricesOf,
		"TableTrip":  count(tableTrip * 1e3),
		"SESTrip":    count(sesTrip * 1e3),
	})
	return out.String(), err
}
