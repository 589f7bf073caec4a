package dynamodb

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// project is the folder whose .local contains the database's program.
var project = filepath.Join("..", "..", "..", "..")

// skipWithoutDynoxide skips a test of dynoxide itself when DYNAMODB_ENDPOINT selects another database.
func skipWithoutDynoxide(t *testing.T) {
	t.Helper()
	if os.Getenv("DYNAMODB_ENDPOINT") != "" {
		t.Skip("another database is given, and this one is not downloaded")
	}
}

// TestAPackageThatNpmLeftOutIsAnError: npm leaves out an optional package without one. The next start tries again.
func TestAPackageThatNpmLeftOutIsAnError(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, ".local", "dynoxide")
	locked, err := fs.Sub(dynoxide, "npm")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(folder, locked); err != nil { // all is as after an installation, but for the package
		t.Fatal(err)
	}
	_, err = Install(t.Context(), root)
	expect.HasPrefix(t, fmt.Sprint(err), "npm has installed no database for "+platform())
	_, err = os.Stat(folder)
	expect.Equal(t, errors.Is(err, fs.ErrNotExist), true, "the folder is gone")
}

// TestDatabaseFindsItsAddressTaken shows that a taken address is recognized, so that another one is tried.
func TestDatabaseFindsItsAddressTaken(t *testing.T) {
	skipWithoutDynoxide(t)
	binary, err := Install(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	server := &Server{binary: binary, addr: taken.Addr().String()}
	if err := server.tryAddress(t.Context()); !errors.Is(err, errAddressTaken) {
		t.Errorf("the error is %v", err)
	}
}

// TestDatabaseThatCannotStartSaysWhy shows that the program's output is in the error.
func TestDatabaseThatCannotStartSaysWhy(t *testing.T) {
	skipWithoutDynoxide(t)
	_, err := Open(t.Context(), Config{Root: project, File: t.TempDir()}) // a folder instead of a file
	expect.Contains(t, fmt.Sprint(err), "unable to open database file")
}

// TestTheDatabaseDies kills the database. With its data in a file it comes back at the same address; with tables in
// memory there is nothing to come back to.
func TestTheDatabaseDies(t *testing.T) {
	t.Parallel()
	skipWithoutDynoxide(t)
	for _, c := range []struct {
		name   string
		file   string
		spoil  func(*Server)
		failed string // "" if the database comes back
	}{
		{"its data is in a file", "tables.sqlite", func(*Server) {}, ""},
		{"its tables were in memory", "", func(*Server) {}, "its tables were in memory"},
		// Without a program, the restart fails.
		{"it does not start again", "tables.sqlite", func(s *Server) { s.binary = "" }, "start the database again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			config := Config{Root: project, Region: "us-east-1"}
			if c.file != "" {
				config.File = filepath.Join(t.TempDir(), c.file)
			}
			s, err := Open(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			c.spoil(s)
			var log bytes.Buffer
			s.Supervise(slog.New(slog.NewTextHandler(&log, nil)))
			operator := s.Operator()
			operator.Retryer = patient
			client := dynamodb.NewFromConfig(operator)
			create := &dynamodb.CreateTableInput{
				TableName: aws.String("kept"), BillingMode: types.BillingModePayPerRequest,
				KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: "HASH"}},
				AttributeDefinitions: []types.AttributeDefinition{
					{AttributeName: aws.String("PK"), AttributeType: "S"},
				},
			}
			for range 2 { // once more, because it may die again
				if _, err := client.CreateTable(t.Context(), create); err != nil {
					t.Fatal(err)
				}
				create.TableName = aws.String("kept-2")
				// The process ends without a chance to close its file.
				s.child.Kill()
				if c.failed != "" {
					if err := <-s.Failed; !strings.Contains(err.Error(), c.failed) {
						t.Errorf("it failed with %v, want %s", err, c.failed)
					}
					if !strings.Contains(log.String(), "the database is gone: restart the stack") {
						t.Errorf("the log is %s", log.String())
					}
					return
				}
			}
			out, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{})
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, len(out.TableNames), 2)
		})
	}
}

// patient repeats a call until the database is back, however long this machine takes for that.
func patient() aws.Retryer {
	soon := retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxBackoff, o.RateLimiter = 20*time.Millisecond, ratelimit.None
	})
	return retry.AddWithMaxAttempts(soon, 0) // without an end; among the options, 0 would mean three
}
