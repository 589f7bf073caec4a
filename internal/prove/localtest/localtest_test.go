package localtest_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// TestStackOfTheProjectAnswers shows that a route of the real template is served, and that its log line is recorded.
func TestStackOfTheProjectAnswers(t *testing.T) {
	t.Parallel()
	stack := localtest.StartBootstraps(t)
	response, err := http.Post(stack.URL()+"/sender.php", "application/json", strings.NewReader("{"))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	// Half a JSON document: the function refuses it, which shows that the request has reached the function.
	expect.Not(t, response.StatusCode, http.StatusNotFound)
	expect.AtMost(t, response.StatusCode, 499)
	line := localtest.WaitLog(t, stack, response.Header.Get("apigw-requestid"))
	if !slices.Contains(localtest.Logs(stack), line) {
		t.Errorf("the log has no line %q", line)
	}
}

// TestAFunctionThatIsNotBuiltStopsTheTest at once, in one sentence, where the environment says that all are built.
func TestAFunctionThatIsNotBuiltStopsTheTest(t *testing.T) {
	root := t.TempDir()
	for _, folder := range []string{"functions/list-users", "functions/send-mail", ".local/functions"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"template.yaml", ".local/functions/list-users"} {
		if err := os.WriteFile(filepath.Join(root, file), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	t.Setenv("FUNCTIONS_BUILT", "1")
	stopped := &stoppedTest{TB: t}
	func() {
		defer func() { _ = recover() }()
		localtest.StartBootstraps(stopped)
	}()
	expect.Equal(t, stopped.why, "FUNCTIONS_BUILT is set, and send-mail is not built: run make functions/local\n")
}

// stoppedTest is a test whose Fatal ends nothing else.
type stoppedTest struct {
	testing.TB
	why string
}

func (s *stoppedTest) Fatal(why ...any) {
	s.why = fmt.Sprintln(why...)
	panic("stopped")
}

// TestStacksHaveTablesOfTheirOwn shows that parallel stacks share no table.
func TestStacksHaveTablesOfTheirOwn(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		one, two := localtest.Start(t), localtest.Start(t)
		a, b := one.Environ()["TABLE_NAME"], two.Environ()["TABLE_NAME"]
		expect.Not(t, a, b)
		expect.Not(t, a, "")
	})
}

// TestStackRunsOnAnEditedTemplate shows that a stack knows only what its template says: the route has moved.
func TestStackRunsOnAnEditedTemplate(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		path := localtest.EditTemplate(t, "/sender.php", "/other.php")
		stack := localtest.Start(t, func(o *local.Options) { o.Template = path })
		status := func(path string) int {
			response, err := stack.Client().Post(stack.URL()+path, "application/json", nil)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			return response.StatusCode
		}
		expect.Equal(t, status("/sender.php"), http.StatusNotFound)
		expect.Equal(t, status("/other.php"), http.StatusInternalServerError, "the route of a stack without functions")
	})
}
