package main

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/prove/bench"
)

// target is the limit for one figure, or for the same figure of several functions.
type target struct {
	what     string
	limit    float64
	least    bool // the limit is the least that is wanted, not the most
	write    func(float64) string
	measured []float64
}

// targets returns all limits with their figures.
func (r *results) targets() []target {
	const mail, hello = "send-mail", "hello-world"
	others := func(name string) bool { return !slices.Contains([]string{mail, hello, "get-item"}, name) }
	measured := func(name string) bool { return others(name) || name == mail }
	only := func(name string) func(string) bool { return func(other string) bool { return other == name } }
	most := func(what string, limit float64, write func(float64) string, measured []float64) target {
		return target{what: what, limit: limit, write: write, measured: measured}
	}
	least := func(what string, limit float64, measured []float64) target {
		return target{what: what, limit: limit, least: true, write: multiple, measured: measured}
	}
	warm := func(name string, limit float64) target {
		return most("CPU of a warm `"+name+"` beside `get-item`", limit, multiple,
			r.figures("Warm", "cpu-x-get-item", only(name)))
	}
	pin := func(client string) target {
		return least("cold start without the pin of `"+client+"`", bench.MinPin,
			r.figure("Pins/client="+client, "x-newest"))
	}
	return []target{
		most("cold start beside `hello-world`, of all but `send-mail`", bench.MaxStart, multiple,
			r.figures("ColdStart", "x-hello", others)),
		most("cold start of `send-mail` beside `hello-world`", bench.MaxStartMail, multiple,
			r.figures("ColdStart", "x-hello", only(mail))),
		most("cold start beside `get-item`, of all", bench.MaxStartGetItem, multiple,
			r.figures("ColdStart", "x-get-item", measured)),
		most("first answer of `show-user` by TLS, beside itself with one root", bench.MaxFirstAnswer, multiple,
			r.figures("FirstAnswer", "x-one-root", only("show-user"))),
		most("zip file beside `hello-world`'s, of all but `send-mail`", bench.MaxZip, multiple,
			r.figures("ColdStart", "zip-x-hello", others)),
		most("zip file of `send-mail` beside `hello-world`'s", bench.MaxZipMail, multiple,
			r.figures("ColdStart", "zip-x-hello", only(mail))),
		pin("dynamodb"),
		pin("sesv2"),
		warm("show-user", bench.MaxWarmCPU),
		warm("create-category", bench.MaxWarmCreate),
		warm("update-category", bench.MaxWarmUpdate),
		warm(mail, bench.MaxWarmMail),
		least("time of go-mail beside ours, 25 MB", bench.MinGoMail,
			r.figure("MIME/message=attachments/impl=go-mail", "x-frontdesk")),
		least("time of the bare base64 encoder beside ours, 25 MB", bench.MinBase64,
			r.figure("MIME/message=attachments/impl=base64", "x-frontdesk")),
		least("CPU of `stock-mail` beside `send-mail`, a mail of 25 MB", bench.MinStockCPU,
			r.figure("WholeMail/message=25-MB/impl=stock-mail", "cpu-x-send-mail")),
		least("memory of `stock-mail` beside `send-mail`, a mail of 25 MB", bench.MinStockMemory,
			r.figure("WholeMail/message=25-MB/impl=stock-mail", "peak-x-send-mail")),
		least("CPU of `stock-mail` beside `send-mail`, a mail of 13 kB", bench.MinStockCPUSmall,
			r.figure("WholeMail/message=13-kB/impl=stock-mail", "cpu-x-send-mail")),
		most("creates below one parent, 64 clients: failed", bench.MaxFailed, percent, r.failed("creates-one-parent")),
		most("mails with a quota, 64 clients: failed", bench.MaxFailed, percent,
			r.failed("mails-quota", "mails-quota-sent-once")),
		most("moves of unrelated categories, 64 clients: failed", bench.MaxFailedMoves, percent,
			r.failed("moves-unrelated")),
		most("moves of related categories, 64 clients: failed", bench.MaxFailedRelated, percent,
			r.failed("moves-related")),
		most("answers of 500 under contention", bench.MaxServerErrors, percent, r.serverErrors()),
		most("memory of `send-mail` for a message of 40 MB", bench.MaxMemory, megabytes,
			r.figure("LargeMessage", "peak-bytes")),
	}
}

// figure is a figure, if it was measured.
func (r *results) figure(name, unit string) []float64 {
	if v, ok := r.get(name, unit); ok {
		return []float64{v}
	}
	return nil
}

// figures is a figure of every function that is wanted.
func (r *results) figures(benchmark, unit string, wanted func(function string) bool) []float64 {
	var all []float64
	for _, name := range r.under(benchmark) {
		if wanted(strings.TrimPrefix(name, "function=")) {
			all = append(all, r.figure(benchmark+"/"+name, unit)...)
		}
	}
	return all
}

// verdict is "met" or "not met".
func (t target) verdict() string {
	met := slices.Max(t.measured) <= t.limit
	if t.least {
		met = slices.Min(t.measured) >= t.limit
	}
	if met {
		return "met"
	}
	return "**not met**"
}

// String returns the limit as a text, such as "at most 1.30x".
func (t target) String() string {
	if t.least {
		return "at least " + t.write(t.limit)
	}
	return "at most " + t.write(t.limit)
}

// verdicts returns a table of all limits, and whether the figures keep them.
func (r *results) verdicts() string {
	var rows table
	rows.add("", "wanted", "measured", "")
	for _, t := range r.targets() {
		if len(t.measured) == 0 {
			rows.add(t.what, t.String(), none, "")
			continue
		}
		measured := t.write(slices.Min(t.measured))
		if most := t.write(slices.Max(t.measured)); most != measured {
			measured = fmt.Sprintf("%s to %s", measured, most)
		}
		rows.add(t.what, t.String(), measured, t.verdict())
	}
	return rows.String()
}
