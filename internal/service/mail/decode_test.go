package mail

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/base/address"
	"frontdesk/internal/base/api"
	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/service/mail/compose"

	"github.com/getkin/kin-openapi/openapi3"
)

// FuzzRequest: any body is refused, or becomes a mail whose headers, envelope, files and tags are safe to write. No
// value may start a header field, and an address that was parsed parses to itself.
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
	// Bodies that are refused need no more than to end without a panic. For the others the properties below are the
	// security of the endpoint: no line break reaches a header field or SES.
	f.Fuzz(func(t *testing.T, body []byte) {
		o, err := api.ParseObject(body)
		if err != nil {
			return
		}
		m, err := decodeMail(o)
		if err != nil || m.check() != nil {
			return
		}
		o.Warnings(ourName)
		for _, r := range slices.Concat(m.Recipients, m.CCs, m.BCCs, m.ReplyTo) {
			expect.Equal(t, strings.ContainsAny(r.Address+r.Name, "\r\n\x00"),
				false, `r.Address+r.Name has any of "\r\n\x00"`)
			expect.Equal(t, strings.ContainsAny(r.Address, " <>,\""), false, `r.Address has any of " <>,\""`)
			expect.AtMost(t, len(r.Address), 254)
			again, err := address.Parse(r.Address)
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, again, r.Address)
		}
		for _, a := range m.Attachments {
			if err := checkOptionalURL(a.URL); err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, a.URL != "", len(a.Content) == 0, "it has a URL and no content, or no URL")
			expect.Equal(t, strings.ContainsAny(a.CID, "\r\n<> "), false, `a.CID has any of "\r\n<> "`)
		}
		// Two fields of one name, or one that the service writes itself, would let a client choose which one a
		// reader believes.
		names := map[string]bool{}
		for _, h := range m.fields() {
			name := http.CanonicalHeaderKey(h.Name)
			if err := h.Check(); err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, strings.ContainsAny(h.Value, "\r\n\x00"), false, `h.Value has any of "\r\n\x00"`)
			expect.Equal(t, names[name], false)
			expect.Equal(t, compose.CheckReserved(name), nil)
			expect.Equal(t, name == "Subject", false, "it is a Subject")
			names[name] = true
		}
		for name, value := range m.Tags {
			text := name + value
			expect.Equal(t, strings.ContainsAny(text, "\r\n\x00 ,="), false, `text has any of "\r\n\x00 ,="`)
			expect.AtMost(t, len(text), 512)
		}
	})
}

// TestEveryFieldOfTheContractIsRead: each field that the contract has, also within others. That the contract has each
// one that is read is checked where tests send it.
func TestEveryFieldOfTheContractIsRead(t *testing.T) {
	t.Parallel()
	contract, err := contracttest.Load()
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(withEveryField(contract.Components.Schemas["Mail"].Value))
	if err != nil {
		t.Fatal(err)
	}
	o, err := api.ParseObject(body)
	if err != nil {
		t.Fatal(err)
	}
	o.MarkKnown("key") // which is read before
	if _, err := decodeMail(o); err != nil {
		t.Fatal(err)
	}
	expect.Len(t, o.Unknown(), 0, "fields that nothing reads")
}

// withEveryField returns a value whose objects have all their fields, and whose texts are empty.
func withEveryField(schema *openapi3.Schema) any {
	switch {
	case schema.Type.Is("array"):
		return []any{withEveryField(schema.Items.Value)}
	case schema.Type.Is("object"):
		object := map[string]any{}
		for name, property := range schema.Properties {
			object[name] = withEveryField(property.Value)
		}
		return object
	}
	return ""
}
