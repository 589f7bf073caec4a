package matrix

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestBodies: every endpoint that reads JSON reads it in the same way, and says in the same words what a body is that
// cannot be read.
func TestBodies(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		proofs{
			"what is no JSON":   whatIsNoJSON,
			"a byte order mark": aByteOrderMark,
		}.run(t, start(t))
	})
}

const (
	asJSON     = "application/json"
	urlencoded = "application/x-www-form-urlencoded"
	parts      = "--x\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\nada@example.org\r\n--x--\r\n"
	formIsNone = "body must be a JSON object with Content-Type application/json; form fields are not read"
	wrongTypes = `{"email":7,"recipients":7,"category":7,"positions_hash":7,"user_id":"7","expires_in":"7"`
)

// whatIsNoJSON: an error says what a body is instead, and nothing of it is written, with other characters in its place.
// JSON with a form's content type is read as JSON, with the usual errors, because curl -d sends it that way. The
// gateway hands on that, and what is not UTF-8, in base64.
func whatIsNoJSON(t testing.TB, s *fixture.Stack) {
	cases := map[string]struct{ contentType, body, want string }{
		"half a surrogate":            {asJSON, "{\"x\":\"Gr\xed\xa0\xbd\"}", "body is not UTF-8 at byte 9"},
		"an overlong slash":           {asJSON, "{}\xc0\xaf", "body is not UTF-8 at byte 3"},
		"UTF-16":                      {asJSON, utf16("{}"), "body is in UTF-16; JSON must be in UTF-8"},
		"UTF-16 with a mark":          {asJSON, "\xff\xfe" + utf16("{}"), "body is in UTF-16; JSON must be in"},
		"gzip":                        {asJSON, "\x1f\x8b\x08\x00\x00", "is compressed with gzip; send it uncom"},
		"white space":                 {asJSON, " \r\n\t", "body is empty; it must be one JSON object"},
		"white space of a form":       {urlencoded, " \r\n\t", "body is empty; it must be one JSON object"},
		"a mark alone":                {asJSON, "\ufeff", "body is empty; it must be one JSON object"},
		"JSON in a string":            {asJSON, `"{\"name\":\"x\"}"`, "body is JSON within a JSON string"},
		"a fault after a mark":        {asJSON, "\ufeff{", "not valid JSON: unexpected end of JSON input at byte 4"},
		"a list after a mark":         {asJSON, "\ufeff[]", "body must be one JSON object"},
		"fields":                      {urlencoded, "email=ada%40example.org&password=secret", formIsNone},
		"with a charset, in capitals": {"Application/X-WWW-Form-Urlencoded; charset=UTF-8", "a=b", formIsNone},
		"parts":                       {"multipart/form-data; boundary=x", parts, formIsNone},
		"a form's JSON with a fault":  {urlencoded, `{"email":}`, "body is not valid JSON: "},
		"a form's JSON, a list":       {urlencoded, `[]`, "body must be one JSON object"},
		"fields under JSON's name":    {asJSON, "a=b", "body is not valid JSON: "},
		"fields without a type":       {"", "a=b", "body is not valid JSON: "},
	}
	each(readers(t), func(r fixture.Request) {
		c := s.NewClient(t)
		sent := c.Prepared(r)
		good := "{}"
		if sent.Body != nil {
			good = text(t, sent.Body)
		}
		send := func(what, contentType, body, want string) {
			sent := sent
			sent.Header = sent.Header.Clone()
			sent.Header["Content-Type"], sent.Body = []string{contentType}, body
			a := s.Send(t, r, sent, nil)
			a.Is(t, http.StatusBadRequest, object{"code": "malformed"})
			message, _ := a.Body["message"].(string)
			if a.Body["status"] != nil {
				message, _ = a.Body["error"].(string)
			}
			expect.Contains(t, message, want, r.String()+", "+what+": message")
			for _, made := range s.AWSProxy().Calls(a.RequestID) {
				if (call{Call: made}).writes() {
					t.Errorf("%s, %s: %s was called", r, what, made.Action)
				}
			}
		}
		for what, c := range cases {
			send(what, c.contentType, c.body, c.want)
		}
		// Each is otherwise a good body, so that what is taken after all would be written.
		send("Latin-1", asJSON, "{\"x\":\"Gr\xf6\xdfe\","+good[1:], "body is not UTF-8 at byte 9")
		send("Latin-1 of a form", urlencoded, "{\"x\":\"Gr\xf6\xdfe\","+good[1:], "body is not UTF-8 at byte 9")
		send("Latin-1 after a mark", asJSON, "\ufeff{\"x\":\"\xf6\","+good[1:], "not UTF-8 at byte 10")
		send("a form's JSON with wrong types", urlencoded, wrongTypes+`,"key":"`+c.MailKeyText+`"}`, " must be a")
		if sent.Body != nil { // where none is needed, no body asks for what is usual
			send("no body", asJSON, "", "body is empty; it must be one JSON object")
		}
	})
}

// aByteOrderMark is passed over: RFC 8259 section 8.1 lets a reader ignore it. Programs of Windows write it.
func aByteOrderMark(t testing.TB, s *fixture.Stack) {
	each(readers(t), func(r fixture.Request) {
		c := s.NewClient(t)
		sent := c.Prepared(r)
		if sent.Body == nil {
			return
		}
		sent.Body = "\ufeff" + text(t, sent.Body)
		// The contract knows no mark.
		a, err := s.Try(s.Client(), sent.Target, sent.Header, sent.Body)
		if err == nil {
			err = sent.Done(a)
		}
		if a.Status != r.Good() || err != nil {
			t.Errorf("%s: answer %d %.300s: %v", r, a.Status, a.Raw, err)
		}
	})
}

// readers are rows of the operations that read JSON, as the contract has them.
func readers(t testing.TB) []fixture.Request {
	all := contracttest.Operations(t)
	return slices.DeleteFunc(endpoints(), func(r fixture.Request) bool {
		o := all[r.Operation].Operation
		return o == nil || o.RequestBody == nil || o.RequestBody.Value.Content["application/json"] == nil
	})
}

// text returns a body as it is sent.
func text(t testing.TB, body any) string {
	t.Helper()
	sent, err := fixture.BodyText(body)
	if err != nil {
		t.Fatal(err)
	}
	return sent
}

// utf16 returns ASCII in UTF-16, little-endian and without a byte order mark.
func utf16(ascii string) string {
	var wide strings.Builder
	for _, c := range []byte(ascii) {
		wide.Write([]byte{c, 0})
	}
	return wide.String()
}
