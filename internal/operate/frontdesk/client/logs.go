package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/frontdesk/target"
)

// logsCommand is frontdesk logs. Last counts earlier requests, so 0 with --follow shows new ones alone.
type logsCommand struct {
	Follow bool `short:"f" help:"Show new requests as they come, until Ctrl-C."`
	Last   int  `default:"20" placeholder:"N" help:"How many earlier requests; at most 1,000 are kept."`
}

// settle is how long after its answer the log lines of a request may still arrive. A function's output comes through
// a pipe, and the answer by HTTP. Without the wait a request would sometimes be shown without its lines.
const settle = 200 * time.Millisecond

// Run shows the requests that the local stack remembers, the oldest first. For a deployed stack, CloudWatch has
// the log.
func (c logsCommand) Run(ctx context.Context, stack *target.Target, out commandline.Output) error {
	console := stack.Console()
	if console == "" {
		return fmt.Errorf("only the local stack's log is shown here, with --local; that of a deployed one is "+
			"CloudWatch's: aws logs tail --follow $(aws cloudformation describe-stack-resource --stack-name %s "+
			"--logical-resource-id LogGroup --query StackResourceDetail.PhysicalResourceId --output text)",
			stack.Name())
	}
	if c.Last < 0 {
		return commandline.Usage("--last must not be negative")
	}
	log := requestLog{client: stack.HTTP(), console: console, show: func(r loggedRequest) error {
		return out.Print(r.fields, r.print)
	}}
	if terminal, ok := out.Terminal(); ok {
		// A person gets the request on one line, with its reason, and below it only what the function logged besides.
		log.show = func(r loggedRequest) error {
			if err := r.line(terminal); err != nil {
				return err
			}
			return r.otherLines(terminal)
		}
	}
	if !c.Follow {
		return log.since(ctx, c.Last)
	}
	return log.follow(ctx, c.Last)
}

// Follow shows a person at a terminal the API's requests since a time, one line for each, until the context or the
// local stack ends.
func Follow(ctx context.Context, console string, since time.Time, terminal commandline.Terminal) error {
	log := requestLog{client: http.DefaultClient, console: console, from: since}
	log.show = func(r loggedRequest) error { return r.line(terminal) }
	return log.follow(ctx, -1)
}

// requestLog shows each request once. A new request may stand anywhere in the console's list: that has the order in
// which requests came, and a slow one is listed when it is answered.
type requestLog struct {
	client  *http.Client
	console string    // its base address
	from    time.Time // no earlier request is shown
	show    func(loggedRequest) error
	listed  map[string]bool // the ids that the console listed last
}

// follow shows the last requests, and then new ones as they come. It returns nil after a Ctrl-C, which is how it is
// meant to end, and an error when the stack ends first.
func (l *requestLog) follow(ctx context.Context, last int) error {
	// Opened before the list is read, so that no request falls between the two.
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, l.console+"/events", nil)
	if err != nil {
		return err
	}
	response, err := l.client.Do(request)
	if err != nil {
		return unanswered(request.URL, err)
	}
	defer response.Body.Close()
	if err := l.since(ctx, last); err != nil {
		return err
	}
	changes := bufio.NewScanner(response.Body)
	for changes.Scan() {
		// The console sends server-sent events for every kind of change. Only requests matter here.
		if changes.Text() != "data: requests" {
			continue
		}
		time.Sleep(settle)
		if err := l.since(ctx, -1); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return errors.New("the stack at " + l.console + " has ended")
}

// since shows the requests that were not listed before, at most the last few; -1 stands for any number. The list names
// the requests, and each is then read by a call of its own.
func (l *requestLog) since(ctx context.Context, last int) error {
	var requests []struct { // the newest first
		ID string
		At time.Time
	}
	if err := get(ctx, l.client, l.console+"/requests", nil, &requests); err != nil {
		return quiet(ctx, err)
	}
	listed, fresh := map[string]bool{}, []string{}
	for _, r := range requests {
		listed[r.ID] = true
		if !l.listed[r.ID] && !r.At.Before(l.from) {
			fresh = append(fresh, r.ID)
		}
	}
	l.listed = listed
	if last >= 0 && len(fresh) > last {
		fresh = fresh[:last]
	}
	for _, id := range slices.Backward(fresh) {
		var one loggedRequest
		err := get(ctx, l.client, l.console+"/requests/"+url.PathEscape(id), nil, &one)
		if refused, is := errors.AsType[refusal](err); is && refused.status == http.StatusNotFound {
			// Many newer requests have pushed it out meanwhile.
			continue
		}
		if err != nil {
			return quiet(ctx, err)
		}
		if err := l.show(one.withoutSecrets()); err != nil {
			return err
		}
	}
	return nil
}

// quiet hides an error if the user has stopped the command. Ctrl-C also ends a call that is under way, and nobody
// needs to read about that.
func quiet(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
