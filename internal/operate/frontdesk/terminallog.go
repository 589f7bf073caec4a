package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"frontdesk/internal/operate/frontdesk/commandline"
)

// terminalLog prints the local stack's log for a person. It leaves out what every request and every event of a mail
// logs when all goes well: [client.Follow] shows the requests, and the console the events. The log itself is lines of
// JSON of the stack and of its functions, and whatever else these processes print.
type terminalLog struct{ terminal commandline.Terminal }

// Write prints whole lines.
func (l terminalLog) Write(lines []byte) (int, error) {
	for line := range bytes.Lines(lines) {
		if err := l.print(line); err != nil {
			return 0, err
		}
	}
	return len(lines), nil
}

// print prints a line as an entry: the time, the message and the other fields. A line that is no JSON, such as one of a
// compiler or of a panic, stays as it is.
func (l terminalLog) print(line []byte) error {
	var fields map[string]any
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber() // an id has more digits than a float64 prints
	if decoder.Decode(&fields) != nil || decoder.More() {
		return l.terminal.Text(string(line))
	}
	take := func(name string) string {
		text, _ := fields[name].(string)
		delete(fields, name)
		return text
	}
	// Functions log the time under the name that Lambda uses.
	at, err := time.Parse(time.RFC3339, cmp.Or(take("time"), take("timestamp")))
	level, msg := take("level"), take("msg")
	if err != nil || msg == "" {
		return l.terminal.Text(string(line))
	}
	if msg == "request" || msg == "mail event" && level == "INFO" {
		return nil
	}
	style := map[string]commandline.Style{"WARN": commandline.Yellow, "ERROR": commandline.Red}[level]
	words := commandline.Words(style, msg)
	// Fields come in the order of the alphabet, because a map of Go has none.
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		words = append(words, commandline.Words(commandline.Faint, fmt.Sprintf("%s=%v", name, fields[name]))...)
	}
	return l.terminal.Entry(at, words)
}
