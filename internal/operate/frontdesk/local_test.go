package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestSecondStackOnTheSameDataIsRefused: the error says who uses the data, and the first stack goes on.
func TestSecondStackOnTheSameDataIsRefused(t *testing.T) {
	dir := t.TempDir()
	envFile := filepath.Join(dir, "demo.env")
	runLocal(t, "--port", "0", "--dir", dir, "--no-watch")
	before, err := os.ReadFile(envFile)
	if err != nil {
		t.Fatal(err)
	}
	vars := sourced(t, envFile, "BASE_URL", "MAIL_KEY")
	_, port, _ := strings.Cut(strings.TrimPrefix(vars["BASE_URL"], "http://"), ":")
	for name, second := range map[string]string{"on another port": "0", "on the same port": port} {
		_, err := frontdesk(t, "local", "--port", second, "--dir", dir, "--no-watch")
		want := fmt.Sprintf("already: process %d, %s; use it, or end it: kill %[1]d", os.Getpid(), vars["BASE_URL"])
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a second stack %s: %v, want %s", name, err, want)
		}
	}
	_, err = frontdesk(t, "local", "--port", port, "--dir", t.TempDir(), "--no-watch")
	want := "port " + port + " is taken; choose another: PORT="
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a stack of other data on the same port: %v, want %s", err, want)
	}
	after, err := os.ReadFile(envFile)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, string(after), string(before), "the first one's variables")
	if got := sendDemoMail(t, vars); got != 1 {
		t.Errorf("the first one's outbox has %d mails", got)
	}
}

// tool returns the command in a process of its own, as a shell starts it. If the test fails, it logs the output.
func tool(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(toolPath(t), args...)
	cmd.Env = os.Environ()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	t.Cleanup(func() {
		if cmd.Process != nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
		if t.Failed() {
			t.Logf("%q said %s", args, said.String())
		}
	})
	return cmd
}

// awaitFile waits until a file exists, or until it no longer does.
func awaitFile(t testing.TB, path string, there bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(path); (err == nil) == there {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: that it is there should be %v", path, there)
		}
	}
}

// TestStackIsWholeAfterAPartOfItWasKilled: SIGKILL hits each part in turn, always on the same data. A part cannot
// react to SIGKILL, as it could to other signals. dynoxide is the database, and send-mail a function. No mail that
// was sent before may be missing afterwards.
func TestStackIsWholeAfterAPartOfItWasKilled(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("the parts are found in /proc, which this system has not")
	}
	localtest.NeedsOwnDatabase(t)
	dir := t.TempDir()
	envFile := filepath.Join(dir, "demo.env")
	var services string
	for mails, part := range []string{"frontdesk", "dynoxide", "send-mail", "frontdesk", ""} {
		os.Remove(envFile)
		stack := tool(t, "local", "--port", "0", "--dir", dir, "--no-watch")
		if err := stack.Start(); err != nil {
			t.Fatal(err)
		}
		awaitFile(t, envFile, true)
		vars := sourced(t, envFile, "BASE_URL", "MAIL_KEY", "AWS_ENDPOINT_URL_DYNAMODB")
		if got := sendDemoMail(t, vars); got != mails*2+1 {
			t.Errorf("before %q is killed the outbox has %d mails, want %d", part, got, mails*2+1)
		}
		if now := vars["AWS_ENDPOINT_URL_DYNAMODB"]; services != "" && now != services {
			t.Errorf("the services were at %s, and are at %s", services, now)
		} else {
			services = now
		}
		if part == "frontdesk" {
			stack.Process.Kill()
			stack.Wait()
			// The mail of this turn's second half is sent by the next stack on the data.
			next := tool(t, "local", "--port", "0", "--dir", dir, "--no-watch")
			os.Remove(envFile)
			if err := next.Start(); err != nil {
				t.Fatal(err)
			}
			awaitFile(t, envFile, true)
			stack, vars = next, sourced(t, envFile, "BASE_URL", "MAIL_KEY")
		} else if part != "" {
			killChildren(t, stack.Process.Pid, part)
		}
		awaitMail(t, vars, mails*2+2)
		stack.Process.Signal(syscall.SIGTERM)
		if err := stack.Wait(); err != nil {
			t.Errorf("after %q was killed it ended with %v", part, err)
		}
		awaitFile(t, envFile, false)
	}
}

// killChildren kills the processes of a program that a stack has started. There has to be exactly one.
func killChildren(t testing.TB, stack int, program string) {
	t.Helper()
	killed := 0
	processes, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range processes {
		stat, _ := os.ReadFile(path)
		// pid (name) state ppid: see proc(5)
		name, rest, _ := strings.Cut(string(stat), ") ")
		pid, name, _ := strings.Cut(name, " (")
		fields := strings.Fields(rest)
		if len(fields) < 2 || name != program || fields[1] != strconv.Itoa(stack) {
			continue
		}
		number, err := strconv.Atoi(pid)
		if err != nil {
			continue
		}
		if process, err := os.FindProcess(number); err == nil && process.Kill() == nil {
			killed++
		}
	}
	if killed == 0 {
		t.Errorf("no %s was killed", program)
	}
}

// awaitMail sends a mail as soon as the stack accepts it. A killed part may take a moment to be there again.
func awaitMail(t testing.TB, vars map[string]string, want int) {
	t.Helper()
	body := `{"key":"` + vars["MAIL_KEY"] + `","recipients":[{"email":"a@example.org"}],"text":"x"}`
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		status, said := fetch(t, vars["BASE_URL"]+fixture.To("sendMail").Path, body)
		if status == http.StatusOK && strings.Contains(said, `"success"`) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no mail is taken: %d %s", status, said)
		}
	}
	var mails []struct{ From string }
	if _, said := fetch(t, vars["BASE_URL"]+"/_local/outbox", ""); json.Unmarshal([]byte(said), &mails) != nil ||
		len(mails) != want {
		t.Errorf("the outbox has %d mails, want %d", len(mails), want)
	}
}

// fetch gets a page, or posts a body to it.
func fetch(t testing.TB, url, body string) (status int, said string) {
	t.Helper()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultTransport.RoundTrip(request) // which follows no redirect
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, response.Header.Get("Location") + string(text)
}

// TestSeededStackHasSomethingToLookAt: it is filled through the API alone, and only once. The longest envelope has 50
// recipients, SES's limit for one mail. A second start adds nothing.
func TestSeededStackHasSomethingToLookAt(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		stack := tool(t, "local", "--port", "0", "--dir", dir, "--no-watch", "--seed")
		if err := stack.Start(); err != nil {
			t.Fatal(err)
		}
		envFile := filepath.Join(dir, "demo.env")
		awaitFile(t, envFile, true)
		vars := sourced(t, envFile, "BASE_URL", "PLATFORM_TOKEN", "AGENT_TOKEN", "ACCOUNT_ID", "PORTAL_SLUG")
		var mails []struct {
			To     []string
			Status string
		}
		if _, said := fetch(t, vars["BASE_URL"]+"/_local/outbox", ""); json.Unmarshal([]byte(said), &mails) != nil {
			t.Fatal(said)
		}
		longest, bounced := 0, 0
		for _, m := range mails {
			if longest = max(longest, len(m.To)); m.Status == "bounced" {
				bounced++
			}
		}
		expect.Equal(t, len(mails), 17)
		expect.Equal(t, longest, 50)
		expect.Equal(t, bounced, 1)
		categories := fixture.To("listCategories", vars["ACCOUNT_ID"], vars["PORTAL_SLUG"])
		for what, c := range map[string]struct {
			to          fixture.Target
			token, item string
			want        int
		}{
			"categories": {categories, vars["AGENT_TOKEN"], `"slug":`, 7},
			"users":      {fixture.To("listUsers"), vars["PLATFORM_TOKEN"], `"email":`, 5},
		} {
			url, token := vars["BASE_URL"]+c.to.Path, "api_access_token: "+c.token
			out, err := exec.Command("curl", "-s", url, "-H", token).Output()
			if got := strings.Count(string(out), c.item); err != nil || got < c.want {
				t.Errorf("%d %s, want %d: %v", got, what, c.want, err)
			}
		}
		stack.Process.Signal(syscall.SIGTERM)
		if err := stack.Wait(); err != nil {
			t.Errorf("it ended with %v", err)
		}
	}
}

// TestEphemeralStackLeavesNothing in its folder, and no variables after its end. A suite that is killed cannot stop
// its stack, so the stack watches its parent.
func TestEphemeralStackLeavesNothing(t *testing.T) {
	t.Setenv("DYNAMODB_ENDPOINT", "")
	dir := t.TempDir()
	envFile := filepath.Join(dir, "test.env")
	args := []string{"local", "--ephemeral", "--port", "0", "--dir", filepath.Join(dir, "none"), "--env-file", envFile}
	stack := tool(t, args...)
	if err := stack.Start(); err != nil {
		t.Fatal(err)
	}
	awaitFile(t, envFile, true)
	if got := sendDemoMail(t, sourced(t, envFile, "BASE_URL", "MAIL_KEY")); got != 1 {
		t.Errorf("the outbox has %d mails", got)
	}
	stack.Process.Signal(syscall.SIGTERM)
	if err := stack.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, left, nil, "what it left")

	// A shell starts the stack, and ends before it.
	orphan := tool(t, args...)
	shell := exec.Command("sh", append([]string{"-c", `"$@" & until [ -e "$ENV_FILE" ]; do sleep 0.02; done`, "sh",
		orphan.Path}, args...)...)
	shell.Env = append(orphan.Env, "ENV_FILE="+envFile)
	if err := shell.Run(); err != nil {
		t.Fatal(err)
	}
	awaitFile(t, envFile, false)

	_, err = frontdesk(t, "local", "--ephemeral", "--services-only")
	expect.Contains(t, fmt.Sprint(err), "--services-only")
}

// TestRootLeadsToTheConsole: the address that make run prints shows something in a browser. It is on the loopback,
// unless --host says otherwise.
func TestRootLeadsToTheConsole(t *testing.T) {
	dir := t.TempDir()
	welcome := startLocal(t, dir)
	vars := sourced(t, filepath.Join(dir, ".local", "demo.env"), "BASE_URL")
	expect.HasPrefix(t, vars["BASE_URL"], "http://127.0.0.1:")
	status, said := fetch(t, vars["BASE_URL"]+"/", "")
	expect.Equal(t, status, http.StatusFound)
	expect.HasPrefix(t, said, "/_local/")
	if !strings.Contains(welcome, vars["BASE_URL"]+"/docs\n") {
		t.Errorf("the documentation is not in %s", welcome)
	}
}

// TestTheConsolesCommandsRun: a shell with curl runs what the console offers to copy.
func TestTheConsolesCommandsRun(t *testing.T) {
	dir := t.TempDir()
	startLocal(t, dir)
	vars := sourced(t, filepath.Join(dir, ".local", "demo.env"), "BASE_URL", "PORTAL_SLUG")
	_, said := fetch(t, vars["BASE_URL"]+"/_local/stack", "")
	var shown struct {
		FirstMail string `json:"first_mail"`
		Scan      string `json:"scan"`
	}
	if err := json.Unmarshal([]byte(said), &shown); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		shown.FirstMail: `"status":"success"`, shown.Scan: `"slug":{"S":"` + vars["PORTAL_SLUG"] + `"}`,
	} {
		output, err := exec.Command("sh", "-c", command).CombinedOutput()
		if err != nil || !strings.Contains(string(output), want) {
			t.Errorf("%s: %v, and not %s in %s", command, err, want, output)
		}
	}
}

// TestMakeRunTellsHowFarItIs: the progress goes to standard output, and the compiler's errors to standard error. The
// script reads the names of packages from the build, and the build's exit status from the last line.
func TestMakeRunTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("../../../.make/progress", "2")
	cmd.Stdin = strings.NewReader("net/http\nfrontdesk/functions/docs\n# frontdesk/functions/sign-in\n" +
		"functions/sign-in/main.go:7:2: undefined: x\nstatus 3\n")
	var told, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &told, &said
	cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != 3 {
		t.Errorf("exit status %d", got)
	}
	if want := "building 0/2, 1 packages, "; !strings.HasPrefix(told.String(), want) {
		t.Errorf("told %q, want %q", told.String(), want)
	}
	if want := "# frontdesk/functions/sign-in\nfunctions/sign-in/main.go:7:2: undefined: x\n"; said.String() != want {
		t.Errorf("said %q, want %q", said.String(), want)
	}
}
