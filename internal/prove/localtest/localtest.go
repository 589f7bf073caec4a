// Package localtest runs the project's stack in tests, in simulated time: the functions of template.yaml in the test's
// process, behind a gateway, with a database in memory. A stack starts in about 15 ms, so every test has its own:
//
//	func TestSomething(t *testing.T) {
//		t.Parallel()
//		localtest.Simulate(t, func(t *testing.T) {
//			stack := localtest.Start(t)
//			response, err := stack.Client().Get(stack.URL() + "/path")
//			…
//			calls := stack.AWSProxy().Calls(response.Header.Get("apigw-requestid"))
//		})
//	}
//
// What only processes can show is shown by [StartBootstraps]. FUNCTIONS_BUILT in the environment makes the tests use
// the functions in .local/functions as they are, because make test builds them once. DYNAMODB_ENDPOINT selects another
// database.
package localtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/develop/local"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// maxShown is how many lines of the log a failed test shows.
const maxShown = 30

// Start starts a stack in the test's bubble: see [Simulate]. It closes the stack when the test ends. A failed test
// shows the last lines of the stack's log. Each change may modify the options, for instance
//
//	func(o *local.Options) { o.Environment = map[string]string{"DEFAULT_SENDER": "a@example.org"} }
//
// Its functions are those of Options.Programs. The stack has a unique name and so tables of its own, its state is in
// memory, and its functions see only the environment that the template and the options give them.
func Start(t testing.TB, change ...func(*local.Options)) *local.Stack {
	t.Helper()
	if bubbleOf(t) == nil {
		t.Fatal("the stack is not simulated: call Simulate around the test, or StartBootstraps")
	}
	return start(t, change)
}

// StartBootstraps is [Start] with real processes, on this machine's network, and hung on its clock. The comment of
// package bootstraps lists each test that calls it, with what only processes can show there. With Options.Builds, the
// functions come from there, and the project's are not built.
func StartBootstraps(t testing.TB, change ...func(*local.Options)) *local.Stack {
	t.Helper()
	if bubbleOf(t) != nil {
		t.Fatal("processes cannot be simulated")
	}
	return start(t, change)
}

// start starts a stack, and closes it when the test ends.
func start(t testing.TB, change []func(*local.Options)) *local.Stack {
	t.Helper()
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	log := new(recorder)
	o := local.Options{
		Root:      root,
		StackName: "test-" + strings.ToLower(rand.Text()[:10]),
		DynamoDB:  os.Getenv("DYNAMODB_ENDPOINT"),
		Logs:      log,
	}
	for _, c := range change {
		c(&o)
	}
	if b := bubbleOf(t); b != nil {
		b.hold(&o)
	} else {
		o.Programs = nil
	}
	if o.Programs == nil && o.Builds == "" {
		ready := build
		if os.Getenv("FUNCTIONS_BUILT") != "" {
			ready = func() error { return built(root) }
		}
		if err := ready(); err != nil {
			t.Fatal(err)
		}
	}
	stack, err := local.Start(t.Context(), o)
	if err != nil {
		t.Fatalf("start the stack: %v", err)
	}
	recorders.Store(stack, log)
	t.Cleanup(func() {
		if o.DynamoDB != "" {
			if err := dropTable(stack); err != nil {
				t.Error(err)
			}
		}
		if err := stack.Close(); err != nil {
			t.Errorf("close the stack: %v", err)
		}
		recorders.Delete(stack)
		if lines := log.recorded(); t.Failed() {
			t.Logf("the end of the stack's log:\n%s", strings.Join(lines[max(0, len(lines)-maxShown):], "\n"))
		}
	})
	return stack
}

// build builds the functions of template.yaml on the first call.
var build = sync.OnceValue(func() error {
	folder, err := findRoot()
	if err != nil {
		return err
	}
	return local.Build(context.Background(), local.Options{Root: folder})
})

// built returns an error unless the program of each function of a project is there. Every request to one that is
// missing would be a 500, with a line of the log for each attempt to start it.
func built(root string) error {
	functions, err := os.ReadDir(filepath.Join(root, "functions"))
	if err != nil {
		return err
	}
	for _, f := range functions {
		if _, err := os.Stat(filepath.Join(root, ".local", "functions", f.Name())); err != nil {
			return fmt.Errorf("FUNCTIONS_BUILT is set, and %s is not built: run make functions/local", f.Name())
		}
	}
	return nil
}

// NeedsOwnDatabase skips a test that ends, or looks into, a database that is the stack's own, where DYNAMODB_ENDPOINT
// selects another.
func NeedsOwnDatabase(t testing.TB) {
	t.Helper()
	if os.Getenv("DYNAMODB_ENDPOINT") != "" {
		t.Skip("the database is not the stack's own")
	}
}

// dropTable removes the stack's table from a database that is not the stack's own.
func dropTable(stack *local.Stack) error {
	table, ok := stack.Environ()["TABLE_NAME"]
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	client := dynamodb.NewFromConfig(stack.Operator())
	if _, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(table)}); err != nil {
		return fmt.Errorf("delete table %s: %w", table, err)
	}
	return nil
}

// EditTemplate copies the project's template.yaml, replaces each old text by the new text that follows it, everywhere,
// and returns the path for Options.Template. An old text that the template lacks fails the test.
func EditTemplate(t testing.TB, oldNew ...string) string {
	t.Helper()
	if len(oldNew)%2 != 0 {
		t.Fatal("EditTemplate needs pairs of an old and a new text")
	}
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(text, oldNew[i]) {
			t.Fatalf("the template has no %q", oldNew[i])
		}
		text = strings.ReplaceAll(text, oldNew[i], oldNew[i+1])
	}
	path := filepath.Join(t.TempDir(), "template.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// findRoot returns the nearest folder upwards with a template.yaml. Tests run in the folder of their package.
func findRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the project: %w", err)
	}
	for folder := start; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "template.yaml")); err == nil {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", fmt.Errorf("find the project: no template.yaml in %s or above", start)
		}
	}
}
