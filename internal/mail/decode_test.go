package mail

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/address"
	"frontdesk/internal/api"
)

// serviceFields are some of the header fields that the service alone writes.
var serviceFields = map[string]bool{
	"From": true, "To": true, "Bcc": true, "Reply-To": true, "Subject": true, "Date": true, "Mime-Version": true,
	"Sender": true, "Return-Path": true,
}

// FuzzRequest: whatever a body is, it is refused or becomes a mail whose headers, envelope and files are
// safe to write.
func FuzzRequest(f *testing.F) {
	for _, body := range []string{
		`{"key":"k","recipients":[{"email":"a@example.org","name":"A"}],"text":"x"}`,
		`{"recipients":[{"email":"a@bücher.example"}],"ccs":[{"email":"b@example.org"}],
		  "sender":{"email":"s@example.com","name":"S\u0000"}}`,
		`{"recipients":[{"email":"\"a b\"@example.org"}],
		  "attachments":[{"url":"http://h/a%2fb","filename":"x\ny","cid":"c"}],"config":["noconversion"]}`,
		`{"recipients":[{"email":"a@xn--80ak6aa92e.com"}],
		  "placeholders":[{"name":"é","value":"{É}"}],"html":"{É}","htmlurl":"http://u:p@h"}`,
		`{"recipients":[{"email":"a@example.org"}],"replyto":[{"email":"b@bücher.example","name":"B"}],
		  "headers":{"References":"<a@b> <c@d>","X-A":"ü","x-b":null},"tags":{"a":"b","ses:feedback-id-a":"c"},
		  "attachments":[{"content":"eA==","filename":"a.txt"}]}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		o, err := api.ParseObject(body)
		if err != nil {
			return
		}
		m, err := decodeMail(o)
		if err != nil || m.check() != nil {
			return
		}
		unknownFields(o)
		for _, r := range slices.Concat(m.Recipients, m.CCs, m.BCCs, m.ReplyTo) {
			if strings.ContainsAny(r.Address+r.Name, "\r\n\x00") || strings.ContainsAny(r.Address, " <>,\"") ||
				len(r.Address) > 254 {
				t.Errorf("recipient %+v", r)
			}
			if again, err := address.Parse(r.Address); err != nil || again != r.Address {
				t.Errorf("address %q becomes %q, %v", r.Address, again, err)
			}
		}
		for _, a := range m.Attachments {
			if checkOptionalURL(a.URL) != nil || (a.URL == "") == (len(a.Content) == 0) ||
				strings.ContainsAny(a.CID, "\r\n<> ") {
				t.Errorf("attachment %+v", a)
			}
		}
		names := map[string]bool{}
		for _, h := range m.fields() {
			name := http.CanonicalHeaderKey(h.Name)
			if h.Check() != nil || strings.ContainsAny(h.Value, "\r\n\x00") || names[name] || serviceFields[name] ||
				strings.HasPrefix(name, "Content-") || strings.HasPrefix(name, "X-Ses-") {
				t.Errorf("header field %+v", h)
			}
			names[name] = true
		}
		for name, value := range m.Tags {
			if text := name + value; strings.ContainsAny(text, "\r\n\x00 ,=") || len(text) > 512 {
				t.Errorf("tag %q", text)
			}
		}
	})
}
