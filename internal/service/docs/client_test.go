package docs_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/docs"
)

// TestGeneratedClientMakesEveryCall: oapi-codegen makes a client from the contract, the client compiles, and
// testdata/client sends the requests of all rows with it, with their credentials and with wrong ones. The first time,
// Go downloads the generator and what its client needs from the module proxy.
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

	if output, err := command(nil, "build", "-o", "client.exe", "."); err != nil {
		t.Fatalf("build: %v\n%s", err, output)
	}

	stack := fixture.StartBootstraps(t)
	operations := contracttest.Operations(t)
	var input bytes.Buffer
	var sent []func(fixture.Answer)
	send := func(r fixture.Request, request fixture.Sent, check func(fixture.Answer)) {
		call := generatedCall(t, operations[r.Operation], request)
		if err := json.NewEncoder(&input).Encode(call); err != nil {
			t.Fatal(err)
		}
		sent = append(sent, func(a fixture.Answer) {
			a.Request = r.String()
			check(a)
		})
	}
	for _, r := range fixture.Requests {
		if r.Operation == "" {
			continue
		}
		c := stack.NewClient(t)
		request := r.Prepare(c)
		if r.By != fixture.NoCredential {
			send(r, request.Signed(r.By, "wrong"), func(a fixture.Answer) { a.Is(t, http.StatusUnauthorized, nil) })
		}
		send(r, request.Signed(r.By, r.By.Text(c.Tenant)), func(a fixture.Answer) {
			expect.Equal(t, a.Status, r.Good(), a.Request+": "+a.Raw)
			if err := request.Done(a); err != nil {
				t.Errorf("%s: %v", r, err)
			}
		})
	}
	client := exec.Command(filepath.Join(folder, "client.exe"))
	client.Env, client.Stdin = append(os.Environ(), "BASE_URL="+stack.URL()), &input
	var problems bytes.Buffer
	client.Stderr = &problems
	output, err := client.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &problems)
	}
	answers := json.NewDecoder(bytes.NewReader(output))
	for _, check := range sent {
		var a fixture.Answer
		if err := answers.Decode(&a); err != nil {
			t.Fatal(err)
		}
		a.Raw = strings.TrimSuffix(a.Raw, "\n")
		_ = json.Unmarshal([]byte(a.Raw), &a.Body) // a page is no JSON
		check(a)
	}
}

// generatedCall is a request as testdata/client reads it.
func generatedCall(t *testing.T, of contracttest.Operation, sent fixture.Sent) map[string]any {
	t.Helper()
	target, err := url.Parse(sent.Path)
	if err != nil {
		t.Fatal(err)
	}
	call := map[string]any{"Operation": of.OperationID, "Query": target.Query(), "Header": sent.Header}
	if form, ok := sent.Body.(string); ok {
		call["Form"] = form
	} else if sent.Body != nil {
		call["Body"] = sent.Body
	}
	var variables []string
	parts := strings.Split(target.Path, "/")
	for i, part := range strings.Split(of.Path, "/") {
		if strings.HasPrefix(part, "{") {
			variables = append(variables, parts[i])
		}
	}
	call["Path"] = variables
	return call
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}
