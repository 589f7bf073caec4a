package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startLocal starts the stack as make run does, and stops it when the test ends. It gives the path of demo.env
// and what was printed.
func startLocal(t *testing.T) (envFile, welcome string) {
	t.Helper()
	dir := t.TempDir()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	ready := newReadyWriter()
	go func() { ended <- run(ctx, []string{"local", "--port", "0", "--dir", dir, "--no-watch"}, ready) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("stopped with %v", err)
		}
	})
	select {
	case <-ready.printed:
	case err := <-ended:
		ended <- err
		t.Fatalf("ended with %v", err)
	case <-time.After(2 * time.Minute):
		t.Fatal("not ready after two minutes")
	}
	return filepath.Join(dir, "demo.env"), ready.text.String()
}

// readmeBlock is the nth block of commands in a section of the README.
func readmeBlock(t *testing.T, readme, section string, n int) string {
	t.Helper()
	_, text, _ := strings.Cut(readme, "\n## "+section+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	blocks := strings.Split(text, "```sh\n")
	if n+1 >= len(blocks) {
		t.Fatalf("the section %s has no block %d", section, n)
	}
	block, _, _ := strings.Cut(blocks[n+1], "```")
	return strings.ReplaceAll(block, "set -a; . .local/demo.env; set +a\n", "") // the file of this stack is read already
}

// TestWhatIsPrintedCanBePasted: the commands of the README, and those of the welcome.
func TestWhatIsPrintedCanBePasted(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed: the commands were not tried")
	}
	envFile, welcome := startLocal(t)
	readme, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var commands strings.Builder
	_, rest, _ := strings.Cut(welcome, "Create a user, and get a link")
	for line := range strings.Lines(rest) {
		if indented, ok := strings.CutPrefix(line, "  "); ok {
			commands.WriteString(indented)
		}
	}
	for name, c := range map[string]struct {
		script string
		want   []string
	}{
		"the README's first mail":  {readmeBlock(t, string(readme), "Run it", 1) + readmeBlock(t, string(readme), "Run it", 2), []string{`{"status":"success","id":"`, `"subject":"Grüße from frontdesk"`, "Subject: =?utf-8?", "Your ticket is closed."}},
		"the README on mail":       {readmeBlock(t, string(readme), "Send mail", 0), []string{`{"status":"success","id":"`}},
		"the README on retries":    {readmeBlock(t, string(readme), "Send mail", 1), []string{"{\"status\":\"success\",\"id\":\"", "\nIdempotent-Replayed: true\r\n{\"status\":\"success\",\"id\":\""}},
		"the README on categories": {readmeBlock(t, string(readme), "Keep categories", 0), []string{`"name":"Refunds"`, `"parent_category":{"id":`, `"categories_count":3`, "{}"}},
		"the README on users":      {readmeBlock(t, string(readme), "Manage users", 0), []string{`"name":"Grace"`, `"name":"Grace Hopper"`, `"access_token":"fda_`, `"email":"grace@example.org"`}},
		"the welcome":              {commands.String(), []string{`{"url":"http://127.0.0.1:`, `/app/login?email=ada%40example.org&sso_auth_token=fdl_`}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := exec.Command("sh", "-euc", `set -a; . "$0"; set +a`+"\n"+c.script, envFile).CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			for _, want := range c.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("printed %s\nwant %s", out, want)
				}
			}
			if strings.Contains(string(out), `"message"`) || strings.Count(string(out), `"access_token"`) != strings.Count(c.script, "auth/sign_in") {
				t.Errorf("printed %s", out)
			}
		})
	}
}
