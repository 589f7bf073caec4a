package bench

import (
	"bytes"
	"fmt"
	"frontdesk/internal/prove/fixture"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// BenchmarkLargeMessage sends a mail whose finished message is just below the 40 x 1024^2 bytes that SES accepts,
// with three attachments to download. peak-bytes is the most memory, with code and everything, that the function's
// process held while it sent several such mails.
func BenchmarkLargeMessage(b *testing.B) {
	bed := newTestbed(b)
	mail := bed.largeMail(b)
	s := bed.start(b, "send-mail", bed.database())
	for range 3 {
		send(b, s, mail)
	}
	var all rounds
	for b.Loop() {
		c := send(b, s, mail).cost
		all.wall, all.cpu = append(all.wall, float64(c.wall)), append(all.cpu, float64(c.cpu))
	}
	all.report(b)
	b.ReportMetric(s.peak(b), "peak-bytes")
}

// largeMail returns the mail of BenchmarkLargeMessage.
func (bed *testbed) largeMail(tb testing.TB) request {
	const size, files = 10_200_000, 3 // bytes; each becomes 4/3 * 78/76 of it in base64
	content := bytes.Repeat([]byte("0123456789"), size/10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(size))
		w.Write(content)
	}))
	tb.Cleanup(server.Close)
	var attachments []object
	for i := range files {
		attachments = append(attachments, object{"url": fmt.Sprintf("%s/%d.bin", server.URL, i)})
	}
	return request{Target: fixture.To("sendMail"), Body: object{
		"key": bed.MailKeyText, "recipients": []object{{"email": "ada@example.org"}},
		"text": "See the attachments.", "attachments": attachments,
	}}
}

// peak returns the most memory that the process has held until now, in bytes.
// https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
func (s *process) peak(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "\nVmHWM:")
	var kib float64
	if _, err := fmt.Sscanf(after, "%g kB", &kib); err != nil {
		b.Fatalf("read VmHWM: %v", err)
	}
	return kib * 1024
}
