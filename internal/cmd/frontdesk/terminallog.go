package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/cmd/frontdesk/commandline"
)

// terminalLog prints the local stack's log for a person. It leaves out what every request and every event of a mail
// logs when all goes well: [client.Follow] shows the requests, and the console the events. The log itself is lines of
// JSON of the stack and of its functions, and whatever else these processes print.
type terminalLog struct{ terminal commandline.Terminal }

// Write prints whole lines. The rest of a long line continues below its message, beside the time.
func (l terminalLog) Write(lines []byte) (int, error) {
	for line := range bytes.Lines(lines) {
		if err := l.terminal.Line(len("15:04:05 "), logWords(strings.TrimRight(string(line), "\r\n"))); err != nil {
			return 0, err
		}
	}
	return len(lines), nil
}

// logWords returns the words of a line of the log: the time, the message and the other fields. It returns nil for a
// line that is left out. A line that is no JSON, such as one of a compiler or of a panic, stays as it is.
func logWords(line string) []commandline.Word {
	var l struct {
		Time, Timestamp time.Time
		Level, Msg      string
	}
	var fields map[string]any
	if json.Unmarshal([]byte(line), &l) != nil || json.Unmarshal([]byte(line), &fields) != nil || l.Msg == "" {
		return []commandline.Word{{Text: strings.ReplaceAll(line, "\t", "    ")}}
	}
	if l.Msg == "request" || l.Msg == "mail event" && l.Level == "INFO" {
		return nil
	}
	if l.Time.IsZero() { // functions log it under the name that Lambda uses
		l.Time = l.Timestamp
	}
	style := map[string]commandline.Style{"WARN": commandline.Yellow, "ERROR": commandline.Red}[l.Level]
	words := append([]commandline.Word{{Text: l.Time.Local().Format("15:04:05"), Style: commandline.Faint}},
		commandline.Words(style, l.Msg)...)
	// Fields come in the order of the alphabet, because a map of Go has none.
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch name {
		case "time", "timestamp", "level", "msg":
		default:
			words = append(words, commandline.Words(commandline.Faint, fmt.Sprintf("%s=%v", name, fields[name]))...)
		}
	}
	return words
}
