package main

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/prove/fixture"
)

// BenchmarkTransfer imports equal numbers of users and categories, imports them again, and exports everything. Every
// tenth category is the parent of the nine that follow it, and the others are related to it. -benchtime 100000x sets
// the number.
func BenchmarkTransfer(b *testing.B) {
	stack := fixture.StartBootstraps(b, fixture.WithoutFunctions(b))
	dir := b.TempDir()
	tool, file := filepath.Join(dir, "frontdesk"), filepath.Join(dir, "file.ndjson")
	if out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	writeTree(b, file, b.N)
	services, err := url.Parse(stack.Environ()["AWS_ENDPOINT_URL_DYNAMODB"])
	if err != nil {
		b.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(services)
	server := httptest.NewServer(proxy)
	b.Cleanup(server.Close)
	run := func(name string, args ...string) {
		cmd := exec.Command(tool, args...)
		cmd.Dir = dir
		for variable, value := range stack.Environ() {
			cmd.Env = append(cmd.Env, variable+"="+value)
		}
		cmd.Env = append(cmd.Env, "AWS_ENDPOINT_URL_DYNAMODB="+server.URL)
		took := &fixture.Meter{}
		proxy.Transport = took
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		began := time.Now()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		most := peakOf(cmd.Process.Pid)
		if err := cmd.Wait(); err != nil {
			b.Fatalf("%s: %v: %s", name, err, &out)
		}
		lasted := time.Since(began)
		records := float64(2 * b.N)
		b.ReportMetric(records/lasted.Seconds(), name+"-records/s")
		b.ReportMetric((took.Units-took.Writes)/records, name+"-reads/record")
		b.ReportMetric(took.Writes/records, name+"-writes/record")
		b.ReportMetric(<-most, name+"-MiB")
		b.Logf("%s: %s in %s", name, &out, lasted)
	}
	b.ResetTimer()
	run("import", "import", file, "--rate", "1000000")
	run("again", "import", file, "--rate", "1000000", "--ids", filepath.Join(dir, "again"))
	run("export", "export", filepath.Join(dir, "export"), "--all")
}

// peakOf returns the most memory that a process has held until its end, in MiB: VmHWM of proc_pid_status(5).
// getrusage(2) would count the memory that the parent had when it started the process.
func peakOf(pid int) <-chan float64 {
	most := make(chan float64, 1)
	go func() {
		for kib := 0.0; ; time.Sleep(20 * time.Millisecond) {
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			_, rest, found := strings.Cut(string(status), "\nVmHWM:")
			if err != nil || !found { // an ended process has no memory
				most <- kib / 1024
				return
			}
			_, _ = fmt.Sscanf(rest, "%g", &kib)
		}
	}()
	return most
}

// writeTree writes the file of n users and n categories.
func writeTree(b *testing.B, path string, n int) {
	b.Helper()
	var text strings.Builder
	fmt.Fprintln(&text, `{"frontdesk_transfer":1}`)
	fmt.Fprintln(&text, `{"kind":"portal","account":1,"slug":"faq","name":"FAQ","locales":["en"]}`)
	for i := range n {
		links := ""
		if above := i - i%10 + 1; i%10 > 0 {
			links = fmt.Sprintf(`,"parent_category_id":%d,"related_category_ids":[%[1]d]`, above)
		}
		fmt.Fprintf(&text, `{"kind":"category","account":1,"portal":"faq","id":%d,"name":"Category %[1]d",`+
			`"slug":"category-%[1]d","description":"%s"%s}`+"\n", i+1, strings.Repeat("x", 200), links)
		fmt.Fprintf(&text, `{"kind":"user","id":%d,"name":"User %[1]d","email":"user-%[1]d@example.org",`+
			`"custom_attributes":{"plan":"gold"}}`+"\n", i+1)
	}
	fmt.Fprintln(&text, `{"kind":"end"}`)
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
}
