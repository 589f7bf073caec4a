package main

import "strings"

// leastGain is the least share of a cold start that the pin of a client has to save: a pin gives up the
// client's updates.
const leastGain = 0.05

// pins returns a table of what the pins of clients in go.mod still save.
func (r *results) pins() string {
	var t table
	t.add("pinned client", "cold start without the pin", "")
	for _, name := range r.under("Pins") {
		verdict := "keep the pin"
		if newest, _ := r.get("Pins/"+name, "x-newest"); newest < 1+leastGain {
			verdict = "**drop the pin**"
		}
		t.add("`"+strings.TrimPrefix(name, "client=")+"`", r.cell("Pins/"+name, "x-newest", multiple), verdict)
	}
	return t.String()
}
