package localtest_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

const why = "the helper that starts processes is the subject"

// TestStackOfTheProjectAnswers shows that a route of the real template is served, and that its log line is recorded.
func TestStackOfTheProjectAnswers(t *testing.T) {
	t.Parallel()
	stack := localtest.StartBootstraps(t, why)
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

// TestStacksHaveTablesOfTheirOwn shows that parallel stacks share no table.
func TestStacksHaveTablesOfTheirOwn(t *testing.T) {
	t.Parallel()
	one, two := localtest.StartBootstraps(t, why), localtest.StartBootstraps(t, why)
	a, b := one.Environ()["TABLE_NAME"], two.Environ()["TABLE_NAME"]
	expect.Not(t, a, b)
	expect.Not(t, a, "")
}

// TestStackRunsOnAnEditedTemplate shows that a stack knows only what its template says: the route has moved.
func TestStackRunsOnAnEditedTemplate(t *testing.T) {
	t.Parallel()
	path := localtest.EditTemplate(t, "/sender.php", "/other.php")
	stack := localtest.StartBootstraps(t, why, func(o *local.Options) { o.Template = path })
	response, err := http.Post(stack.URL()+"/sender.php", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("got %s", response.Status)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("the template is not edited: %v", err)
	}
	expect.Contains(t, string(text), "/other.php", "the template is not edited: text")
}
