package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"frontdesk/internal/operate/frontdesk/commandline"
)

// loggedRequest is what the console knows of a request, without its body and its answer. Bodies hold personal data and
// keys, which a terminal's history should not keep.
type loggedRequest struct {
	fields
	Reason   string   // the API's reason for a refusal, in the words of its answer
	Warnings []string // of the answer
}

// fields are the fields of a request that a log has. They are printed as JSON. Their names in JSON are the console's,
// so a program can read either.
type fields struct {
	ID       string    `json:"id"`
	At       time.Time `json:"at"` // when it arrived
	Method   string    `json:"method"`
	Path     string    `json:"path"` // without what may be a secret
	Query    string    `json:"query"`
	Status   int       `json:"status"`
	MS       float64   `json:"ms"` // until the answer was complete
	Function string    `json:"function"`
	Start    string    `json:"start"`
	Error    string    `json:"error"`
	Lines    []string  `json:"lines"` // what its function logged, each a line of JSON or of a panic
}

// long matches words that may be secrets: no credential, and no token of a link, has less than 40 characters.
var long = regexp.MustCompile(`[\w.~%+-]{40,}`)

// withoutSecrets returns the request with … in the place of each long word.
func (r loggedRequest) withoutSecrets() loggedRequest {
	hide := func(text string) string { return long.ReplaceAllString(text, "…") }
	r.Path, r.Query, r.Reason = hide(r.Path), hide(r.Query), hide(r.Reason)
	for i, warning := range r.Warnings {
		r.Warnings[i] = hide(warning)
	}
	return r
}

// target returns the path with its query.
func (f fields) target() string {
	if f.Query == "" {
		return f.Path
	}
	return f.Path + "?" + f.Query
}

// print prints a request for another program: one line, and below it the unchanged lines of its function.
func (f fields) print(p commandline.Printer) {
	line := fmt.Sprintf("%s %d %s %s %.1f ms %s %s",
		f.At.Local().Format("15:04:05.000"), f.Status, f.Method, f.target(), f.MS, f.Function, f.Start)
	p.Printf("%s\n", strings.TrimRight(line, " "))
	if f.Error != "" {
		p.Printf("    %s\n", f.Error)
	}
	for _, line := range f.Lines {
		p.Printf("    %s\n", line)
	}
}

// functionLine is the line that every function logs for a request. Ids are 0 and texts are "" where they do not apply.
type functionLine struct {
	Msg, Code, Error, Cause string
	Stack                   string // of a panic
	App, User               int64
	MailKey                 int64 `json:"mail_key"`
}

// parseFunctionLine returns false for a line that a function has logged about something else.
func parseFunctionLine(line string) (l functionLine, ok bool) {
	return l, json.Unmarshal([]byte(line), &l) == nil && l.Msg == "request"
}

// functionLine returns the function's line for the request. It is empty if no function got the request, or if one is
// still at work on it.
func (r loggedRequest) functionLine() functionLine {
	for _, line := range r.Lines {
		if l, ok := parseFunctionLine(line); ok {
			return l
		}
	}
	return functionLine{}
}

// caller returns who made the request: an app (which may name a user), a mail key, or a user. It is empty for
// the public.
func (l functionLine) caller() string {
	switch {
	case l.App != 0:
		return fmt.Sprint("app ", l.App)
	case l.MailKey != 0:
		return fmt.Sprint("key ", l.MailKey)
	case l.User != 0:
		return fmt.Sprint("user ", l.User)
	}
	return ""
}

// line prints a request for a person, as an entry of a log. The words are: status, method, path, duration, caller, and
// then what went wrong. The path takes a third of the terminal, so that durations stand below each other for all but
// long paths.
func (r loggedRequest) line(t commandline.Terminal) error {
	line := r.functionLine()
	style := r.style()
	words := []commandline.Word{
		{Text: fmt.Sprint(r.Status), Style: style},
		{Text: fmt.Sprintf("%-6s", r.Method)},
		{Text: fmt.Sprintf("%-*s", t.Columns()/3, r.target())},
		{Text: fmt.Sprintf("%.1f ms", r.MS)},
	}
	if caller := line.caller(); caller != "" {
		words = append(words, commandline.Word{Text: caller, Style: commandline.Faint})
	}
	if r.Reason != "" {
		words = append(words, commandline.Words(style, strings.TrimPrefix(line.Code+": ", ": ")+r.Reason)...)
	}
	for _, problem := range []string{r.Error, line.Error, line.Cause} {
		if problem != "" {
			words = append(words, commandline.Words(commandline.Red, problem)...)
		}
	}
	for _, warning := range r.Warnings {
		words = append(words, commandline.Words(commandline.Yellow, "warning: "+warning)...)
	}
	if err := t.Entry(r.At, words); err != nil {
		return err
	}
	return t.Below(line.Stack)
}

// style returns the style of a request's status. A refused mail has the status 200, but looks like other refusals. So
// red is a fault of the service, and yellow a mistake of the caller.
func (r loggedRequest) style() commandline.Style {
	switch {
	case r.Status >= http.StatusInternalServerError:
		return commandline.Red
	case r.Status >= http.StatusBadRequest, r.Reason != "":
		return commandline.Yellow
	case r.Status >= http.StatusMultipleChoices:
		return commandline.Cyan
	}
	return commandline.Green
}

// otherLines prints what the function has logged besides its line for the request. The line for the request is left
// out, because [loggedRequest.line] has shown what it says.
func (r loggedRequest) otherLines(t commandline.Terminal) error {
	for _, line := range r.Lines {
		if _, ok := parseFunctionLine(line); ok {
			continue
		}
		if err := t.Below(line); err != nil {
			return err
		}
	}
	return nil
}
