package bench

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/samtemplate"
	"frontdesk/internal/prove/fixture"
)

// stockMail is the peer of send-mail: a function of go-mail and the SDK's client of SES.
const stockMail = "stock-mail"

// wholeMails are the mails that both functions send: a newsletter of HTML alone, from which send-mail makes a text,
// and five files of 5 x 1024^2 bytes.
var wholeMails = []string{"13-kB", "25-MB"}

// BenchmarkWholeMail sends each mail by send-mail and by stock-mail, each in one process, in turns with send-mail: the
// same JSON, with files to download, and the same parts of a message that reach SES. ns/op and cpu-ns are as in
// BenchmarkWarm, peak-bytes is the most memory that the process held. Units that end in x-send-mail are multiples of
// send-mail's in the same turns. The multiple of send-mail itself shows by its distance from 1 how exact the other is.
func BenchmarkWholeMail(b *testing.B) {
	bed := newMailTestbed(b)
	for _, kind := range wholeMails {
		b.Run("message="+kind, func(b *testing.B) {
			for _, program := range []string{"send-mail", stockMail} {
				b.Run("impl="+program, func(b *testing.B) {
					s, beside := bed.start(b, program, bed.database()), bed.start(b, "send-mail", bed.database())
					mail := bed.wholeMail(b, kind)
					once := func(s *process) func() cost { return func() cost { return send(b, s, mail).cost } }
					for range 3 {
						once(s)()
						once(beside)()
					}
					r := interleave(b, warmRound, once(s), once(beside))
					r[0].report(b)
					b.ReportMetric(s.peak(b), "peak-bytes")
					b.ReportMetric(multiple(r[0].wall, r[1].wall), "x-send-mail")
					b.ReportMetric(multiple(r[0].cpu, r[1].cpu), "cpu-x-send-mail")
					b.ReportMetric(s.peak(b)/beside.peak(b), "peak-x-send-mail")
				})
			}
		})
	}
}

// newMailTestbed returns a testbed with stock-mail among its programs, in the environment of send-mail.
func newMailTestbed(tb testing.TB) *testbed {
	tb.Helper()
	bed := newTestbed(tb)
	sendMail := bed.program("send-mail")
	environment := maps.Clone(sendMail.Environment)
	environment["SENDER"] = bed.MailKey.Sender.Address
	p, err := buildPeer(samtemplate.Function{
		LogicalID: "StockMailFunction", MemoryMB: sendMail.MemoryMB, Environment: environment,
	})
	if err != nil {
		tb.Fatal(err)
	}
	p.routes = sendMail.routes
	bed.programs = append(bed.programs[:len(bed.programs):len(bed.programs)], p)
	return bed
}

// wholeMail returns the request for one of the wholeMails.
func (bed *testbed) wholeMail(tb testing.TB, kind string) request {
	tb.Helper()
	body := object{
		"key": bed.MailKeyText, "recipients": []object{{"email": "ada@example.org", "name": "Ada Lovelace"}},
		"subject": "Neuigkeiten für {NAME}", "html": newsletter().html,
		"placeholders": []object{{"name": "name", "value": "Ada"}}, "config": []string{"subjectplaceholders"},
	}
	if kind == "25-MB" {
		file := make([]byte, 5<<20)
		rand.NewChaCha8([32]byte{}).Read(file)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(file)))
			w.Write(file)
		}))
		tb.Cleanup(server.Close)
		var attachments []object
		for i := range 5 {
			url, name := fmt.Sprintf("%s/%d", server.URL, i), fmt.Sprintf("Anlage %d.bin", i)
			attachments = append(attachments, object{"url": url, "filename": name, "type": contentType})
		}
		body = fixture.With(body, object{"html": "<p>Grüße</p>", "text": "Grüße", "attachments": attachments})
	}
	return request{Target: fixture.To("sendMail"), Body: body}
}

// TestWholeMailsAreTheSame: the messages that the two functions give SES differ only in form, and in the text that
// send-mail makes.
func TestWholeMailsAreTheSame(t *testing.T) {
	bed := newMailTestbed(t)
	sent := make(chan []byte, 1)
	bed.ses.check = func(request []byte) { sent <- request }
	for _, kind := range wholeMails {
		t.Run(kind, func(t *testing.T) {
			mail := bed.wholeMail(t, kind)
			got := map[string]string{}
			for _, name := range []string{"send-mail", stockMail} {
				send(t, bed.start(t, name, bed.database()), mail)
				got[name] = whatItSays(t, <-sent, name == "send-mail" && kind == "13-kB")
			}
			if got["send-mail"] != got[stockMail] {
				t.Errorf("send-mail has sent\n%.2000s\nand %s\n%.2000s", got["send-mail"], stockMail, got[stockMail])
			}
		})
	}
}

// whatItSays returns what a reader finds in the raw message of a request, if wanted without its plain text.
func whatItSays(t *testing.T, request []byte, withoutText bool) string {
	t.Helper()
	_, data, _ := bytes.Cut(request, []byte(`"Data":"`))
	data, _, _ = bytes.Cut(data, []byte(`"`))
	n, err := base64.StdEncoding.Decode(data, data)
	if err != nil {
		t.Fatal(err)
	}
	header, list, err := read(data[:n])
	if err != nil {
		t.Fatal(err)
	}
	var says strings.Builder
	subject, err := header.Subject()
	fmt.Fprintln(&says, subject, err)
	to, err := header.AddressList("To")
	fmt.Fprintln(&says, to, err)
	for _, p := range list {
		if p.body != nil && (p.contentType != "text/plain" || !withoutText) {
			fmt.Fprintf(&says, "%s %s %q\n%s\n", p.contentType, p.disposition, p.filename, p.body)
		}
	}
	return says.String()
}
