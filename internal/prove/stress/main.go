// Command stress is the load and fault-injection suite. It runs the stack on this machine and lets many clients use
// the whole API at the same time, while calls fail, connections break and processes are killed. Afterwards, oracles
// compare the state of the system with what the clients were told.
//
// The workload is what clients do, one request after the other: see client, with mail, maillog, category, public,
// user, shareduser, rotation, signin and readingrow. Beside them an operator imports, exports and forgets: see
// operator, importedtree and forgottenperson. Each client keeps a model of what it has written, in mailmodel,
// categorymodel and usermodel. Faults come in phases, see fault. The oracles find violations, see oracle, quota and
// maillog. The history has every request of the load and its latency; report prints it.
//
// Its tests plant violations: an oracle that overlooks one proves nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// bound is how long the whole run may take.
const bound = 5 * time.Minute

func main() {
	s := scenario{phases: phases}
	flag.Uint64Var(&s.seed, "seed", rand.Uint64()>>32,
		"the clients' and the faults' choices; what meets what is up to the scheduler")
	flag.DurationVar(&s.duration, "duration", 2*time.Minute, "how long the load lasts, 3m at most")
	flag.IntVar(&s.clients, "clients", 64, "how many clients there are")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, s, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "stress:", err)
		stop()
		os.Exit(1)
	}
}
