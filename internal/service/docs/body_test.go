package docs_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
)

// bodyEndpoints are the endpoints that read a JSON body, with a credential that each accepts.
func bodyEndpoints(t *testing.T, stack *fixture.Stack, tenant fixture.Tenant) map[string]string {
	t.Helper()
	stack.Grant(t, tenant.App.ID, tenant.Portal.Account)
	agent, app, user := tenant.AgentToken, tenant.AppToken, "/platform/api/v1/users/"+tenant.Agent.ID.String()
	return map[string]string{
		"POST /sender.php":                           "",
		"POST " + tenant.Categories():                agent,
		"PUT " + tenant.Categories() + "/1":          agent,
		"PATCH " + tenant.Categories() + "/1":        agent,
		"POST " + tenant.Categories() + "/reorder":   agent,
		"POST /platform/api/v1/users":                app,
		"PATCH " + user:                              app,
		"PUT " + user:                                app,
		"POST " + user + "/token":                    app,
		"POST " + fixture.MembersPath(tenant.Portal): app,
		"POST /auth/sign_in":                         "",
	}
}

// send calls an endpoint of [bodyEndpoints] with a body of a content type, and returns the message of its error.
func send(
	t *testing.T, stack *fixture.Stack, endpoint, credential string, header http.Header, body string,
) (fixture.Answer, string) {
	t.Helper()
	method, path, _ := strings.Cut(endpoint, " ")
	header = maps.Clone(header)
	if header == nil {
		header = http.Header{}
	}
	if credential != "" {
		header["api_access_token"] = []string{credential}
	}
	r := stack.Call(t, method, path, header, body)
	message, _ := r.Body["message"].(string)
	if r.Body["status"] != nil {
		message, _ = r.Body["error"].(string)
	}
	return r, message
}

// utf16 returns ASCII in UTF-16, little-endian and without a byte order mark.
func utf16(ascii string) string {
	var wide strings.Builder
	for _, c := range []byte(ascii) {
		wide.Write([]byte{c, 0})
	}
	return wide.String()
}

// TestABodyIsToldAsWhatItIs by every endpoint that reads JSON. Nothing of a body that is not UTF-8 is sent or stored,
// with other characters in its place. The gateway hands on what is not UTF-8, and a form's content type, in base64.
func TestABodyIsToldAsWhatItIs(t *testing.T) {
	t.Parallel()
	stack := fixture.Start(t)
	tenant := stack.NewTenant(t)
	// The fields of a good mail and of a good user, so that a body which is taken after all sends or stores something.
	begin := `{"key":"` + tenant.MailKeyText + `","recipients":[{"email":"ada@example.org"}],"subject":"x",` +
		`"email":"ada@example.org","password":"correct horse","text":"x","name":"Gr`
	at := len(begin) + 1
	cases := map[string]struct{ body, want string }{
		"Latin-1":              {begin + "\xf6\xdfe\"}", fmt.Sprintf("body is not UTF-8 at byte %d", at)},
		"Latin-1 after a mark": {"\ufeff" + begin + "\xf6\xdfe\"}", fmt.Sprintf("body is not UTF-8 at byte %d", at+3)},
		"half a surrogate":     {begin + "\xed\xa0\xbd\"}", fmt.Sprintf("body is not UTF-8 at byte %d", at)},
		"an overlong slash":    {"{}\xc0\xaf", "body is not UTF-8 at byte 3"},
		"UTF-16":               {utf16("{}"), "body is in UTF-16; JSON must be in UTF-8"},
		"UTF-16 with a mark":   {"\xff\xfe" + utf16("{}"), "body is in UTF-16; JSON must be in UTF-8"},
		"gzip":                 {"\x1f\x8b\x08\x00\x00", "body is compressed with gzip; send it uncompressed"},
		"white space":          {" \r\n\t", "body is empty; it must be one JSON object"},
		"a mark alone":         {"\ufeff", "body is empty; it must be one JSON object"},
		"JSON in a string":     {`"{\"name\":\"x\"}"`, "body is JSON within a JSON string"},
		"a fault after a mark": {"\ufeff{", "body is not valid JSON: unexpected end of JSON input at byte 4"},
		"a list after a mark":  {"\ufeff[]", "body must be one JSON object"},
	}
	for endpoint, credential := range bodyEndpoints(t, stack, tenant) {
		before := stack.CountItems(t, "", "")
		for what, c := range cases {
			for _, contentType := range []string{"application/json", "application/x-www-form-urlencoded"} {
				r, message := send(t, stack, endpoint, credential, http.Header{"Content-Type": {contentType}}, c.body)
				r.Is(t, 400, fixture.Object{"code": "malformed"})
				expect.Contains(t, message, c.want, fmt.Sprintf("%s of %s as %s: message", endpoint, what, contentType))
			}
		}
		if !strings.HasSuffix(endpoint, "/token") { // there, no body asks for the usual life of a token
			_, message := send(t, stack, endpoint, credential, nil, "")
			expect.Equal(t, message, "body is empty; it must be one JSON object", endpoint+" without a body: message")
		}
		expect.Equal(t, stack.CountItems(t, "", ""), before, endpoint+": items")
	}
}

// TestAByteOrderMarkIsPassedOver: RFC 8259 section 8.1 lets a reader ignore it. Programs of Windows write it.
func TestAByteOrderMarkIsPassedOver(t *testing.T) {
	t.Parallel()
	stack := fixture.Start(t)
	tenant := stack.NewTenant(t)
	mail := `{"recipients":[{"email":"ada@example.org"}],"text":"x","key":"` + tenant.MailKeyText + `"}`
	for endpoint, body := range map[string]string{
		"POST /sender.php":            mail,
		"POST " + tenant.Categories(): `{"category":{"name":"x","slug":"x","locale":"en"}}`,
		"POST /platform/api/v1/users": `{"name":"Ada","email":"ada@example.org","password":"correct horse"}`,
		"POST /auth/sign_in":          `{"email":"` + tenant.Agent.Email + `","password":"` + fixture.Password + `"}`,
	} {
		method, path, _ := strings.Cut(endpoint, " ")
		token := fixture.Token(bodyEndpoints(t, stack, tenant)[endpoint])
		r, err := stack.Try(http.DefaultClient, method, path, token, "\ufeff"+body) // the contract knows no mark
		if err != nil {
			t.Fatal(err)
		}
		r.Is(t, 200, nil)
	}
}
