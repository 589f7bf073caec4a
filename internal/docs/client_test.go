package docs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"frontdesk/internal/docs"
	"frontdesk/internal/fixture"
	"frontdesk/internal/local"
	"frontdesk/internal/local/lambda"
	"frontdesk/internal/local/localtest"
	"frontdesk/internal/mail/unsubscribe"
)

// TestGeneratedClientMakesEveryCall: oapi-codegen makes a client from the contract, the client compiles, and
// testdata/client makes every call with it. The first time, Go downloads the generator and what its client needs from
// the module proxy.
func TestGeneratedClientMakesEveryCall(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("testdata/client")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "openapi.json"), docs.Contract)
	if err := os.Mkdir(filepath.Join(folder, "contract"), 0o755); err != nil {
		t.Fatal(err)
	}
	command := func(variables []string, args ...string) ([]byte, error) {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = folder, append(append(os.Environ(), "GOWORK=off"), variables...)
		return cmd.CombinedOutput()
	}
	if output, err := command(nil, "mod", "download"); err != nil {
		t.Skipf("oapi-codegen cannot be had: %v\n%s", err, output)
	}
	// Not go tool: it would compile everything anew, with flags of its own.
	generate := []string{
		"run", "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen",
		"-generate", "types,client", "-package", "contract", "-o", "contract/contract.go", "openapi.json",
	}
	if output, err := command(nil, generate...); err != nil || len(output) > 0 {
		t.Fatalf("generate: %v\n%s", err, output)
	}

	stack := fixture.Start(t)
	tenant := stack.NewTenant(t)
	sent := fmt.Sprintf(`{"source":"aws.ses","detail":{"eventType":"Send","mail":{"messageId":"0100-a","timestamp":%q,`+
		`"source":"a@example.com","destination":["b@example.org"],"tags":{"frontdesk-key":["%d"]}}}}`,
		time.Now().UTC().Format(time.RFC3339), tenant.MailKey.ID)
	recorded := lambda.Event{Payload: []byte(sent)}
	if _, _, err := stack.Lambda().Invoke(t.Context(), "RecordMailEventFunction", recorded); err != nil {
		t.Fatal(err)
	}
	stack.Publish(t, tenant.Portal, true)
	stack.Grant(t, tenant.App.ID, tenant.Portal.Account)
	sealer, err := unsubscribe.NewSealer(tenant.MailKey.ID, tenant.MailKey.Secret)
	if err != nil {
		t.Fatal(err)
	}
	variables := []string{
		"UNSUBSCRIBE_TOKEN=" + sealer.Seal("news", "ada@example.org"),
		"BASE_URL=" + stack.URL(), "MAIL_KEY=" + tenant.MailKeyText,
		"PLATFORM_TOKEN=" + tenant.AppToken, "AGENT_TOKEN=" + tenant.AgentToken,
	}
	if output, err := command(variables, "run", "."); err != nil || len(output) > 0 {
		t.Fatalf("%v\n%s", err, output)
	}
	made := succeeded(t, stack.Stack)
	for _, r := range routes(t) {
		if route := r.Method + " " + r.Path; !made[route] {
			t.Errorf("%s was not called, or never with success", route)
		}
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// succeeded returns the routes that a stack's functions have answered with success, by their logs.
func succeeded(t *testing.T, stack *local.Stack) map[string]bool {
	t.Helper()
	localtest.WaitLog(t, stack, `"status":404`) // the last call of testdata/client
	routes := map[string]bool{}
	for _, line := range localtest.Logs(stack) {
		var logged struct {
			Route  string
			Status int
		}
		if json.Unmarshal([]byte(line), &logged) == nil && logged.Status == 200 {
			routes[logged.Route] = true
		}
	}
	return routes
}
