package main

import "strings"

// messages returns a table of what writing a message takes.
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

// wholeMails returns a table of what sending a mail takes.
func (r *results) wholeMails() string {
	beside := func(name, unit, multiples string, write func(float64) string) string {
		return r.cell(name, unit, write) + ", " + r.cell(name, multiples, multiple)
	}
	var t table
	t.add("", "mail", "time", "CPU", "memory at most")
	for _, name := range r.under("WholeMail") {
		message, function, _ := strings.Cut(strings.TrimPrefix(name, "message="), "/impl=")
		name = "WholeMail/" + name
		t.add("`"+function+"`", strings.Replace(message, "-", " ", 1),
			beside(name, "median-sec", "x-send-mail", milliseconds),
			beside(name, "cpu-sec", "cpu-x-send-mail", milliseconds),
			beside(name, "peak-bytes", "peak-x-send-mail", megabytes))
	}
	return t.String()
}
