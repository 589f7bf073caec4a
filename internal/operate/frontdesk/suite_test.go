package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/dynamodb"
)

// typingVariable makes the tool carry out one command line after the other, in place of that of its arguments.
const typingVariable = "FRONTDESK_TYPING"

// TestMain makes the test binary the tool as well, under its name: the tests' processes find frontdesk in their PATH.
// So no test has to build the tool.
func TestMain(m *testing.M) {
	switch {
	case filepath.Base(os.Args[0]) != "frontdesk":
		os.Exit(runSuite(m))
	case os.Getenv(typingVariable) != "":
		runTypedLines()
	default:
		main()
	}
}

// databaseURL is the address of the suite's database.
var databaseURL string

// runSuite runs the tests beside a database, which has a table for each of their stacks and scripts.
func runSuite(m *testing.M) (exitStatus int) {
	tool, err := os.MkdirTemp("", "frontdesk-tool-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(tool)
	binary, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.Symlink(binary, filepath.Join(tool, "frontdesk")); err != nil {
		log.Fatal(err)
	}
	if err := os.Setenv("PATH", tool+string(filepath.ListSeparator)+os.Getenv("PATH")); err != nil {
		log.Fatal(err)
	}
	root, err := projectRoot("")
	if err != nil {
		log.Fatal(err)
	}
	database, err := dynamodb.Open(context.Background(), dynamodb.Config{
		Endpoint: os.Getenv("DYNAMODB_ENDPOINT"), Root: root, Region: "us-east-1",
	})
	if err != nil {
		log.Fatal(err)
	}
	defer database.Close()
	databaseURL = database.URL
	// Many of these tests wait for processes, so more of them run at once than there are cores. The flag -parallel of
	// the command line comes later, and counts.
	if err := flag.Set("test.parallel", "8"); err != nil {
		log.Fatal(err)
	}
	return m.Run()
}

// onDatabase makes a stack of processes use the suite's database, in place of one of its own.
func onDatabase(o *local.Options) { o.DynamoDB = databaseURL }

// toolPath returns the path of the tool.
func toolPath(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("frontdesk")
	if err != nil {
		t.Fatal(err)
	}
	return path
}
