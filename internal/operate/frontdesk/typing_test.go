package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log"
	"os"
	"os/exec"
	"strings"
	"testing"

	"frontdesk/internal/operate/frontdesk/commandline"
)

// typedLine is a command line of the tool, typed in a folder and with an environment.
type typedLine struct {
	Args, Environ []string
	Dir           string
}

// lineResult is what a command line printed, and the status it ended with.
type lineResult struct {
	Stdout, Stderr string
	Status         int
}

// runTypedLines is a process of the tool that carries out one command line after the other, without input. A process
// for each of them would spend most of its time on starting.
func runTypedLines() {
	lines, results := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var line typedLine
		if err := lines.Decode(&line); err != nil {
			return // the test has ended
		}
		if err := os.Chdir(line.Dir); err != nil {
			log.Fatal(err)
		}
		os.Clearenv()
		for _, variable := range line.Environ {
			name, value, _ := strings.Cut(variable, "=")
			if err := os.Setenv(name, value); err != nil {
				log.Fatal(err)
			}
		}
		var out, errs bytes.Buffer
		s := session{commandline.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}, machine}
		status := s.exitStatus(context.Background(), line.Args)
		if err := results.Encode(lineResult{out.String(), errs.String(), status}); err != nil {
			log.Fatal(err)
		}
	}
}

// typing carries out command lines in processes of the tool. Each has one line at a time, because a process has one
// environment.
type typing struct{ idle chan *typist }

// typist is one of the processes.
type typist struct {
	lines   *json.Encoder
	results *json.Decoder
}

// startTyping starts the processes, which end with the test. There are several, because some commands wait for seconds.
func startTyping(t *testing.T) typing {
	t.Helper()
	all := typing{make(chan *typist, 8)}
	for range cap(all.idle) {
		cmd := exec.Command(toolPath(t))
		cmd.Env = append(os.Environ(), typingVariable+"=yes")
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			in.Close()
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
		all.idle <- &typist{json.NewEncoder(in), json.NewDecoder(out)}
	}
	return all
}

// run carries out a line.
func (all typing) run(line typedLine) (result lineResult, err error) {
	one := <-all.idle
	defer func() { all.idle <- one }()
	if err := one.lines.Encode(line); err != nil {
		return lineResult{}, err
	}
	return result, one.results.Decode(&result)
}
