package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/contention"
)

// maxDuration leaves time within the bound to settle and to verify. Login links that are unused until then are
// still good.
const maxDuration = 3 * time.Minute

// Where the stack's log and its data, the table and the mails, stay until the next run.
var (
	logFile    = filepath.Join(".local", "stress.log")
	dataFolder = filepath.Join(".local", "stress.data")
)

// run starts a stack, makes the experiment, and prints the report. An error says that the experiment has failed, or
// could not take place.
func run(ctx context.Context, s scenario, out io.Writer) (err error) {
	if s.duration <= 0 || s.duration > maxDuration || s.clients <= 0 {
		return fmt.Errorf("the load needs at least one client, and may last up to %v", maxDuration)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, bound, fmt.Errorf("it takes longer than %v", bound))
	defer cancel()
	if err := errors.Join(os.RemoveAll(dataFolder), os.MkdirAll(dataFolder, 0o755)); err != nil {
		return err
	}
	log, err := os.Create(logFile)
	if err != nil {
		return err
	}
	defer log.Close()

	s.faults = new(atomic.Pointer[injector])
	stack, err := startStack(ctx, dataFolder, log, s.contention())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stack.Close()) }()
	e, err := newExperiment(ctx, s, stack)
	defer e.close()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "seed %d: %d clients for %v, each pausing %v to %v between two requests\n",
		s.seed, s.clients, s.duration, thinkTime/2, thinkTime*3/2)
	e.load(ctx)
	fmt.Fprintf(out, "settling\n")
	e.settle(ctx)
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), conclude(out, e.violations))
	}
	checkLoad(e.history.all(), e.injector.injected.all(), e.violations)
	c := e.verify(ctx)
	if ctx.Err() != nil { // interrupted oracles report what they could not read as missing
		return context.Cause(ctx)
	}
	printReport(out, e, c)
	written, err := os.Open(logFile)
	if err != nil {
		return err
	}
	defer written.Close()
	if err := printUnconfirmed(out, written); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nlog: %s, data: %s\n", logFile, dataFolder)
	return conclude(out, e.violations)
}

// startStack starts the project's stack in a folder. It is the stack that is deployed, except that attachments may be
// fetched from this machine.
func startStack(ctx context.Context, data string, log io.Writer, c *contention.Config) (*local.Stack, error) {
	options := local.Options{
		Root: ".", Data: data, Logs: log, Environment: map[string]string{"ALLOW_PRIVATE_DOWNLOADS": "true"},
		Contention: c,
	}
	if err := local.Build(ctx, options); err != nil {
		return nil, err
	}
	return local.Start(ctx, options)
}

// maxPrinted is how many violations are printed. The first ones tell what is wrong.
const maxPrinted = 40

// conclude prints the violations, and returns an error if there are any.
func conclude(out io.Writer, v *violations) error {
	all := v.all()
	if len(all) == 0 {
		fmt.Fprintln(out, "passed")
		return nil
	}
	fmt.Fprintln(out)
	for _, violation := range all[:min(len(all), maxPrinted)] {
		fmt.Fprintln(out, "violation:", violation)
	}
	return fmt.Errorf("failed: %d violations", len(all))
}
