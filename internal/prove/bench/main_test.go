package bench

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// TestMain prints the date, Go's version and the number of cores before benchmarks run, in the form in which go test
// prints the machine.
// https://go.dev/design/14313-benchmark-format
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() != "" {
		fmt.Printf("date: %s\ngo: %s\ncores: %d\n",
			time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.NumCPU())
	}
	os.Exit(m.Run())
}
