package bench

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// The mails of BenchmarkSeparate.
const (
	separateMails = 500
	separateFile  = 5_000_000 // bytes
	separateRound = 20        // single mails that are measured each time
	// maxSeparateCPU is in multiples of 500 single mails. The file is fetched and encoded only once, but that is a
	// small part of a single mail: signing and sending happen 500 times all the same.
	maxSeparateCPU = 0.7
)

// BenchmarkSeparate sends one mail with a file of 5 MB to 500 recipients, each of whom gets a separate mail, and in
// turns mails to one recipient. First, the standard library's parsers read every mail once. ns/op and cpu-ns are for
// all 500; cpu-x-single is the time of the function's process in multiples of 500 single mails, peak-bytes the most
// memory that it held.
func BenchmarkSeparate(b *testing.B) {
	bed := newTestbed(b)
	file := make([]byte, separateFile)
	rand.NewChaCha8([32]byte{}).Read(file)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(file)))
		w.Write(file)
	}))
	b.Cleanup(server.Close)
	letter := func(change object) request {
		body := object{
			"key": bed.MailKeyText, "subject": "Für {NAME}", "html": "<p>Grüße an {NAME}</p>",
			"attachments": []object{{"url": server.URL + "/file.bin"}},
		}
		for name, value := range change {
			body[name] = value
		}
		return request{method: "POST", path: "/sender.php", body: body, idempotencyKey: bed.uniqueName("mail")}
	}
	together := func() request {
		var to []object
		for i := range separateMails {
			to = append(to, object{
				"email":        fmt.Sprintf("to%d@example.org", i),
				"placeholders": []object{{"name": "NAME", "value": reader(i)}},
			})
		}
		return letter(object{"recipients": to, "config": []string{"separate", "subjectplaceholders"}})
	}
	single := func() request {
		return letter(object{
			"recipients":   []object{{"email": "ada@example.org"}},
			"placeholders": []object{{"name": "NAME", "value": reader(0)}},
			"config":       []string{"subjectplaceholders"},
		})
	}

	checked := &separateChecker{file: file, seen: map[string]bool{}}
	bed.ses.check = checked.check
	sendWhole(b, bed.start(b, "send-mail", bed.database()), together())
	if len(checked.seen) != separateMails || len(checked.wrong) > 0 {
		b.Fatalf("%d of %d mails were sent; wrong: %.300q", len(checked.seen), separateMails, checked.wrong)
	}
	bed.ses = newSES(b)

	s, alone := bed.start(b, "send-mail", bed.database()), bed.start(b, "send-mail", bed.database())
	r := interleave(b, time.Nanosecond,
		func() cost { return sendWhole(b, s, together()) },
		func() (sum cost) {
			for range separateRound {
				c := send(b, alone, single()).cost
				sum.wall, sum.cpu = sum.wall+c.wall, sum.cpu+c.cpu
			}
			const all = separateMails / separateRound
			return cost{all * sum.wall, all * sum.cpu}
		})
	r[0].report(b)
	if x := multiple(r[0].cpu, r[1].cpu); x > maxSeparateCPU {
		b.Errorf("it takes %.2f times the CPU of single mails; at most %.2f is wanted", x, maxSeparateCPU)
	} else {
		b.ReportMetric(x, "cpu-x-single")
	}
	b.ReportMetric(s.peak(b), "peak-bytes")
}

func reader(i int) string { return fmt.Sprintf("Jürgen Größe %d", i) }

// sendWhole sends a mail. On a busy machine the time may not suffice for all recipients: then it sends the mail again
// for the rest.
func sendWhole(b *testing.B, s *process, r request) (sum cost) {
	b.Helper()
	event, err := r.event()
	if err != nil {
		b.Fatal(err)
	}
	for {
		answer, c, err := s.invoke(event)
		if err != nil {
			b.Fatal(err)
		}
		sum.wall, sum.cpu = sum.wall+c.wall, sum.cpu+c.cpu
		var response events.APIGatewayV2HTTPResponse
		if err := json.Unmarshal(answer, &response); err != nil {
			b.Fatal(err)
		}
		content, err := bodyOf(response)
		if err != nil {
			b.Fatal(err)
		}
		body := string(content)
		if strings.HasPrefix(body, `{"status":"success"`) {
			return sum
		}
		if !strings.Contains(body, "SES could not be asked within") {
			b.Fatalf("%d %.1000s", response.StatusCode, body)
		}
		b.Logf("once more after %s: %.100s", c.wall, body[strings.Index(body, `"error":`):])
	}
}

// separateChecker compares each mail with what its recipient should get.
type separateChecker struct {
	file []byte

	mu    sync.Mutex
	seen  map[string]bool // by address
	wrong []string
	body  []byte // of the file's part in the first mail, once it was decoded
}

// check reads one request to SES, and records what is wrong with it. The function sends several at the same time.
func (c *separateChecker) check(request []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(request); err != nil {
		c.wrong = append(c.wrong, err.Error())
	}
}

func (c *separateChecker) read(request []byte) error {
	_, data, _ := bytes.Cut(request, []byte(`"Data":"`))
	data, _, _ = bytes.Cut(data, []byte(`"`))
	n, err := base64.StdEncoding.Decode(data, data)
	if err != nil {
		return err
	}
	m, err := mail.ReadMessage(bytes.NewReader(data[:n]))
	if err != nil {
		return err
	}
	to, err := m.Header.AddressList("To")
	if err != nil || len(to) != 1 || c.seen[to[0].Address] {
		return fmt.Errorf("it is to %v, %v", to, err)
	}
	var i int
	if _, err := fmt.Sscanf(to[0].Address, "to%d@example.org", &i); err != nil {
		return err
	}
	c.seen[to[0].Address] = true
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || subject != "Für "+reader(i) {
		return fmt.Errorf("%v has the subject %q, %v", to, subject, err)
	}
	mixed, err := partsOf(m.Header.Get("Content-Type"), m.Body)
	if err != nil {
		return err
	}
	texts, err := mixed.NextPart()
	if err != nil {
		return err
	}
	alternative, err := partsOf(texts.Header.Get("Content-Type"), texts)
	if err != nil {
		return err
	}
	for _, want := range []string{"Grüße an " + reader(i), "<p>Grüße an " + reader(i) + "</p>"} {
		part, err := alternative.NextRawPart() // in base64: much of it is beyond ASCII
		if err != nil {
			return err
		}
		if text, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, part)); err != nil || string(text) != want {
			return fmt.Errorf("%v reads %q, %v", to, text, err)
		}
	}
	attached, err := mixed.NextRawPart()
	if err != nil {
		return err
	}
	body, err := io.ReadAll(attached)
	if err != nil {
		return err
	}
	if c.body == nil {
		c.body = body
		decoded, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(body)))
		if err != nil || !bytes.Equal(decoded, c.file) {
			return fmt.Errorf("%v has another file, %v", to, err)
		}
	}
	if _, err := mixed.NextRawPart(); err != io.EOF || !bytes.Equal(body, c.body) {
		return fmt.Errorf("%v has another file than the first, or none: %v", to, err)
	}
	return nil
}

// partsOf returns a reader of a multipart's parts.
func partsOf(contentType string, body io.Reader) (*multipart.Reader, error) {
	_, parameters, err := mime.ParseMediaType(contentType)
	return multipart.NewReader(body, parameters["boundary"]), err
}
