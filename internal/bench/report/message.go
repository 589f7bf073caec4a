package main

import "strings"

// messages is a table of what writing a message takes.
func (r *results) messages() string {
	names := map[string]string{"attachments": "25 MB of attachments", "newsletter": "a newsletter of 20 kB"}
	perSecond := func(v float64) string { return megabytes(v) + "/s" }
	var t table
	t.add("", "message", "throughput", "time beside frontdesk", "allocated, in messages")
	for _, name := range r.under("MIME") {
		message, writer, _ := strings.Cut(strings.TrimPrefix(name, "message="), "/impl=")
		name = "MIME/" + name
		t.add(writer, names[message], r.cell(name, "B/s", perSecond), r.cell(name, "x-frontdesk", multiple),
			r.cell(name, "alloc/msg", multiple))
	}
	return t.String()
}
