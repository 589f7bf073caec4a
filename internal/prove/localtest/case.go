package localtest

import (
	"flag"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// Case runs f as a part of a simulated test, as t.Run does elsewhere: a Fatal ends the case alone, its errors begin
// with its name, and go test -run selects it as it selects a subtest.
func Case(t testing.TB, name string, f func(t testing.TB)) {
	t.Helper()
	c := &part{TB: t, name: name}
	if !c.selected() {
		return
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer c.cleanUp()
		f(c)
	}()
	<-ended
}

// part is a case.
type part struct {
	testing.TB // the test, or the case around this one
	name       string
	failed     atomic.Bool
	cleanups   []func()
}

// Name returns the name of the test and that of the case.
func (c *part) Name() string { return c.TB.Name() + "/" + strings.ReplaceAll(c.name, " ", "_") }

// selected reports whether the flag -run lets the case run.
func (c *part) selected() bool {
	patterns := strings.Split(flag.Lookup("test.run").Value.String(), "/")
	names := strings.Split(c.Name(), "/")
	for i := range min(len(patterns), len(names)) {
		pattern := strings.ReplaceAll(patterns[i], " ", "_")
		if matched, err := regexp.MatchString(pattern, names[i]); err == nil && !matched {
			return false
		}
	}
	return true
}

// Cleanup calls f when the case has ended.
func (c *part) Cleanup(f func()) { c.cleanups = append(c.cleanups, f) }

// cleanUp calls the last function of Cleanup first. Each may add others, and may end itself by FailNow.
func (c *part) cleanUp() {
	if len(c.cleanups) == 0 {
		return
	}
	last := c.cleanups[len(c.cleanups)-1]
	c.cleanups = c.cleanups[:len(c.cleanups)-1]
	defer c.cleanUp()
	last()
}

// Fail marks the case and its test as failed.
func (c *part) Fail() {
	c.failed.Store(true)
	c.TB.Fail()
}

// Failed reports whether the case has failed.
func (c *part) Failed() bool { return c.failed.Load() }

// FailNow ends the case.
func (c *part) FailNow() {
	c.Fail()
	runtime.Goexit()
}

// SkipNow is for whole tests.
func (c *part) SkipNow() { panic("a case cannot be skipped") }

func (c *part) log(text string) {
	c.TB.Helper()
	c.TB.Log(c.name + ": " + strings.TrimSuffix(text, "\n"))
}

// Log logs with the name of the case. The next functions are as those of testing.
func (c *part) Log(args ...any) {
	c.TB.Helper()
	c.log(fmt.Sprintln(args...))
}

func (c *part) Logf(format string, args ...any) {
	c.TB.Helper()
	c.log(fmt.Sprintf(format, args...))
}

func (c *part) Error(args ...any) {
	c.TB.Helper()
	c.log(fmt.Sprintln(args...))
	c.Fail()
}

func (c *part) Errorf(format string, args ...any) {
	c.TB.Helper()
	c.log(fmt.Sprintf(format, args...))
	c.Fail()
}

func (c *part) Fatal(args ...any) {
	c.TB.Helper()
	c.log(fmt.Sprintln(args...))
	c.FailNow()
}

func (c *part) Fatalf(format string, args ...any) {
	c.TB.Helper()
	c.log(fmt.Sprintf(format, args...))
	c.FailNow()
}
