package bench

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// TestMain says on which machine, with which Go and when benchmarks are run, in the form in which go test says the
// rest of it.
// https://go.dev/design/14313-benchmark-format
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() != "" {
		fmt.Printf("date: %s\ngo: %s\ncores: %d\n",
			time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.NumCPU())
	}
	os.Exit(m.Run())
}
