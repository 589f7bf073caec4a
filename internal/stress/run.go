package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"frontdesk/internal/local"
)

// maxDuration leaves time to settle and to judge within the bound, and login links unused until then are still good.
const maxDuration = 3 * time.Minute

// run starts a stack, puts the load on it, judges, and writes the report and the plot. Beside the plot stay the
// stack's log and its data, the table and the mails, until the next run. The error says that the trial has failed, or
// could not take place.
func run(ctx context.Context, p plan, plot string, out io.Writer) (err error) {
	if p.duration <= 0 || p.duration > maxDuration || p.clients <= 0 {
		return fmt.Errorf("the load needs at least one client, and may last up to %v", maxDuration)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, bound, fmt.Errorf("it takes longer than %v", bound))
	defer cancel()
	beside := strings.TrimSuffix(plot, filepath.Ext(plot))
	data := beside + ".data"
	if err := errors.Join(os.RemoveAll(data), os.MkdirAll(data, 0o755)); err != nil {
		return err
	}
	log, err := os.Create(beside + ".log")
	if err != nil {
		return err
	}
	defer log.Close()

	stack, err := startStack(ctx, data, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stack.Close()) }()
	t, err := prepare(ctx, p, stack)
	if err != nil {
		return err
	}
	defer t.files.close()
	fmt.Fprintf(out, "seed %d: %d clients for %v, each pausing %v to %v between two requests\n",
		p.seed, p.clients, p.duration, think/2, think*3/2)
	t.load(ctx)
	fmt.Fprintf(out, "settling\n")
	t.settle(ctx)
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), verdictOn(out, t.broken))
	}
	judgeLoad(t.record.all(), t.faults.all(), t.broken)
	v := judge(ctx, stack, t.clients, t.broken)
	if ctx.Err() != nil { // a verdict that was cut short takes for missing what it could not read
		return context.Cause(ctx)
	}
	printReport(out, t, v)
	fmt.Fprintf(out, "\nplot: %s, log: %s, data: %s\n", plot, log.Name(), data)
	return errors.Join(writePlot(plot, t), verdictOn(out, t.broken))
}

// startStack starts the stack in a folder. It is the project's in the working folder, as it is deployed, but that
// attachments may be fetched from this machine.
func startStack(ctx context.Context, data string, log io.Writer) (*local.Stack, error) {
	options := local.Options{
		Root: ".", Data: data, Logs: log, Environment: map[string]string{"ALLOW_PRIVATE_DOWNLOADS": "true"},
	}
	if err := local.Build(ctx, options); err != nil {
		return nil, err
	}
	return local.Start(ctx, options)
}

// verdictOn prints the violations, and is an error if there are any.
func verdictOn(out io.Writer, broken *violations) error {
	first, all := broken.shown()
	if all == 0 {
		fmt.Fprintln(out, "passed")
		return nil
	}
	fmt.Fprintln(out)
	for _, v := range first {
		fmt.Fprintln(out, "violation:", v)
	}
	return fmt.Errorf("failed: %d violations", all)
}
