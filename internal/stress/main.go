// Command stress is the fault and load suite. It runs the stack on this machine and lets many clients use all of the
// API at the same time, while calls fail, connections break and processes are killed. Then it looks for everything
// that the clients were told of.
//
// A client does one thing after the other and remembers what it wrote (client, with mail, user and category); faults
// come in phases (fault); verdict holds what is there in the end against what the clients know.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// bound is how long all of it may take.
const bound = 5 * time.Minute

func main() {
	p := plan{phases: phases}
	var plot string
	flag.Uint64Var(&p.seed, "seed", rand.Uint64()>>32, "the clients' and the faults' choices; what meets what is up to the scheduler")
	flag.DurationVar(&p.duration, "duration", 2*time.Minute, "how long the load lasts, 3m at most")
	flag.IntVar(&p.clients, "clients", 64, "how many clients there are")
	flag.StringVar(&plot, "plot", filepath.Join(".local", "stress.svg"), "where the plot goes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, p, plot, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "stress:", err)
		stop()
		os.Exit(1)
	}
}
