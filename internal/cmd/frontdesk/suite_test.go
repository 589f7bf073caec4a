package main

import (
	"context"
	"log"
	"os"
	"os/exec"
	"testing"

	"frontdesk/internal/local"
	"frontdesk/internal/local/dynamodb"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary the tool as well, under its name: the tests' processes find frontdesk in their PATH.
// So no test has to build the tool.
func TestMain(m *testing.M) { testscript.Main(suite{m}, map[string]func(){"frontdesk": main}) }

// suite runs the tests beside a database, which has a table for each of their stacks and scripts.
type suite struct{ *testing.M }

// databaseURL is the address of the suite's database.
var databaseURL string

func (s suite) Run() (exitStatus int) {
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
	return s.M.Run()
}

// onDatabase makes a stack use the suite's database, in place of one of its own.
func onDatabase(o *local.Options) { o.DynamoDB = databaseURL }

// toolPath returns the path of the tool.
func toolPath(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("frontdesk")
	if err != nil {
		t.Fatal(err)
	}
	return path
}
