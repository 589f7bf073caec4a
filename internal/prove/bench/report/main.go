// Command report writes the results of the benchmarks as Markdown: how every function compares with its peers, what a
// request costs, and whether the figures keep the limits.
//
//	report results.txt                 prints it
//	report -page costs.md results.txt  puts it into that page
//
// The results are in Go's benchmark format, as go test -bench prints it. If there are several runs, the medians count.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	page := flag.String("page", "",
		"the page that gets the report, between its markers; without it the report is printed")
	flag.Parse()
	if err := run(flag.Arg(0), *page); err != nil {
		log.Fatal(err)
	}
}

// run prints the report, or replaces the report in a page.
func run(path, page string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	r, err := readResults(file, path)
	if err != nil {
		return err
	}
	report, err := r.report()
	if err != nil {
		return err
	}
	if page == "" {
		fmt.Print(report)
		return nil
	}
	before, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	after, err := replaceSection(string(before), report)
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	return os.WriteFile(page, []byte(after), 0o644)
}
