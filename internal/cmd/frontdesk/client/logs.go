package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/cmd/frontdesk/commandline"
	"frontdesk/internal/cmd/frontdesk/target"
)

type logsCommand struct {
	Follow bool `short:"f" help:"Go on with the requests that come, until Ctrl-C."`
	Last   int  `default:"20" placeholder:"N" help:"How many requests of before; at most 1,000 are kept."`
}

// settle is how long the lines of a request may come after its answer.
const settle = 200 * time.Millisecond

// Run shows the requests that the local stack remembers, the oldest first. CloudWatch has the log of a deployed one.
func (c logsCommand) Run(ctx context.Context, on *target.Target, out commandline.Output) error {
	console := on.Console()
	if console == "" {
		return fmt.Errorf("only the local stack's log is shown here, with --local; that of a deployed one is "+
			"CloudWatch's: aws logs tail --follow $(aws cloudformation describe-stack-resource --stack-name %s "+
			"--logical-resource-id LogGroup --query StackResourceDetail.PhysicalResourceId --output text)", on.Stack())
	}
	if c.Last < 0 {
		return commandline.Usage("--last must not be negative")
	}
	var changes *bufio.Scanner
	if c.Follow { // before the list is read: what comes in between is in both
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, console+"/events", nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return unanswered(request.URL, err)
		}
		defer response.Body.Close()
		changes = bufio.NewScanner(response.Body)
	}
	log := requestLog{console: console, out: out}
	if err := log.show(ctx, c.Last); err != nil || !c.Follow {
		return err
	}
	for changes.Scan() {
		if changes.Text() != "data: requests" {
			continue
		}
		time.Sleep(settle)
		if err := log.show(ctx, -1); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return errors.New("the stack at " + console + " has ended")
}

// requestLog shows each request once.
type requestLog struct {
	console string
	out     commandline.Output
	newest  string // the request that was shown last
}

// show shows the requests since the newest one, or the last of them; -1 is any number.
func (l *requestLog) show(ctx context.Context, last int) error {
	var requests []struct{ ID string } // the newest first
	if err := get(ctx, l.console+"/requests", nil, &requests); err != nil {
		return quiet(ctx, err)
	}
	for i, r := range requests {
		if r.ID == l.newest {
			requests = requests[:i]
			break
		}
	}
	if len(requests) > 0 {
		l.newest = requests[0].ID
	}
	if last >= 0 && len(requests) > last {
		requests = requests[:last]
	}
	for _, r := range slices.Backward(requests) {
		var one loggedRequest
		if err := get(ctx, l.console+"/requests/"+url.PathEscape(r.ID), nil, &one); err != nil {
			return quiet(ctx, err)
		}
		if err := l.out.Print(one, one.print); err != nil {
			return err
		}
	}
	return nil
}

// quiet is no error where the user has stopped the command.
func quiet(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// loggedRequest is what a log would have of a request: what it was asked and answered with is the console's.
type loggedRequest struct {
	ID       string    `json:"id"`
	At       time.Time `json:"at"`
	Method   string    `json:"method"`
	Path     string    `json:"path"`
	Query    string    `json:"query"`
	Status   int       `json:"status"`
	MS       float64   `json:"ms"`
	Function string    `json:"function"`
	Start    string    `json:"start"`
	Error    string    `json:"error"`
	Lines    []string  `json:"lines"`
}

func (r loggedRequest) print(p commandline.Printer) {
	path := r.Path
	if r.Query != "" {
		path += "?" + r.Query
	}
	line := fmt.Sprintf("%s %d %s %s %.1f ms %s %s",
		r.At.Local().Format("15:04:05.000"), r.Status, r.Method, path, r.MS, r.Function, r.Start)
	p.Printf("%s\n", strings.TrimRight(line, " "))
	if r.Error != "" {
		p.Printf("    %s\n", r.Error)
	}
	for _, line := range r.Lines {
		p.Printf("    %s\n", line)
	}
}
