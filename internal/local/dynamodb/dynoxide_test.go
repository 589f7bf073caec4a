package dynamodb

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// project is the folder whose .local has the database's program.
var project = filepath.Join("..", "..", "..")

func skipWithoutDynoxide(t *testing.T) {
	t.Helper()
	if os.Getenv("DYNAMODB_ENDPOINT") != "" {
		t.Skip("another database is given, and this one is not downloaded")
	}
}

func TestDatabaseFindsItsPortTaken(t *testing.T) {
	skipWithoutDynoxide(t)
	binary, err := installDynoxide(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	if err := new(Server).tryPort(t.Context(), binary, port); !errors.Is(err, errPortTaken) {
		t.Errorf("the error is %v", err)
	}
}

func TestDatabaseThatCannotStartSaysWhy(t *testing.T) {
	skipWithoutDynoxide(t)
	_, err := Open(t.Context(), Config{Root: project, File: t.TempDir()}) // a folder is no file
	if err == nil || !strings.Contains(err.Error(), "unable to open database file") {
		t.Errorf("the error is %v", err)
	}
}
