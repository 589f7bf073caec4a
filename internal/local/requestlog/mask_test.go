package requestlog

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/expect"
	"frontdesk/internal/local/gateway"
)

// digits are 64 hexadecimal digits, as the random part of a credential has them.
var digits = strings.Repeat("0123456789abcdef", 4)

// TestSecretsAreMasked shows what is hidden: values by their names, credentials by their form. What tells the kind of a
// credential stays, so that a developer sees which one was sent. Texts may be cut, and need not be valid JSON.
func TestSecretsAreMasked(t *testing.T) {
	key := "fdm_7_" + digits
	tests := []struct{ name, text, want string }{
		{"a mail key", `{"key": "` + key + `", "subject": "x"}`, `{"key": "fdm_•••", "subject": "x"}`},
		{"a key by a name in capitals", `{"KEY":"x y"}`, `{"KEY":"•••"}`},
		{"a key by a name that is escaped", `{"\u006bey":"x"}`, `{"\u006bey":"•••"}`},
		{"a key with quotes", `{"key":"a\"b","html":"c"}`, `{"key":"•••","html":"c"}`},
		{"a key of another type", `{"key":123.5,"n":7}`, `{"key":"•••","n":7}`},
		{"keys in a list", `{"key":["a","b"],"n":"c"}`, `{"key":["•••","•••"],"n":"c"}`},
		{"no key at all", `{"key":"","n":null}`, `{"key":"","n":null}`},
		{"a password", `{"email":"a@b","password":"correct horse"}`, `{"email":"a@b","password":"•••"}`},
		{"a token of a kind", `{"access_token":"fda_` + digits + `"}`, `{"access_token":"fda_•••"}`},
		{"a credential in another field", `{"error":"` + key + ` is revoked"}`, `{"error":"fdm_••• is revoked"}`},
		{"a login link", `{"url":"http://h/app/login?email=a%40b\u0026sso_auth_token=fdl_1_` + digits + `"}`,
			`{"url":"http://h/app/login?email=a%40b\u0026sso_auth_token=fdl_•••"}`},
		{"a login link of another shape in HTML", `{"html":"<a href='/x?a=1&amp;sso_auth_token=abc'>in</a>"}`,
			`{"html":"<a href='/x?a=1&amp;sso_auth_token=•••'>in</a>"}`},
		{"a query", `email=a%40b&sso_auth_token=abc&x=1`, `email=a%40b&sso_auth_token=•••&x=1`},
		{"a form", `user=a&password=b+c`, `user=a&password=•••`},
		{"what is nearly JSON", `{'password': 'abc', 'n': 1}`, `{'password': '•••', 'n': 1}`},
		{"JSON that breaks off", `{"key":"abc`, `{"key":"•••"`},
		{"JSON that breaks off behind an escape", `{"key":"abc\`, `{"key":"•••"`},
		// A value that contains such a name is no secret: hiding it would make errors unreadable.
		{"text that only speaks of it", `{"name":"key","code":"idempotency_key_reused"}`,
			`{"name":"key","code":"idempotency_key_reused"}`},
		{"an id", `{"id":"0100019aa0b1c2d3-0b9d9c5e-000000"}`, `{"id":"0100019aa0b1c2d3-0b9d9c5e-000000"}`},
		// The console puts the real key in place of the sign when it repeats a request. A sender must not choose where
		// it goes.
		{"the sign of a secret", `{"url":"http://h/?fdm_•••","key":"x"}`, `{"url":"http://h/?fdm_…","key":"•••"}`},
		{"no text", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := mask(test.text)
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
	got := maskHeader(http.Header{
		"Api_access_token": {"fda_7_" + digits}, "Authorization": {"Bearer fdp_7_" + digits}, "Cookie": {"a=b"},
		"X-Api-Key": {"abc"}, "Referer": {"http://h/?sso_auth_token=abc"}, "Idempotency-Key": {"order-7"},
	})
	for name, want := range map[string]string{
		"api_access_token": "fda_•••", "authorization": "Bearer fdp_•••", "cookie": "•••", "x-api-key": "•••",
		"referer": "http://h/?sso_auth_token=•••", "idempotency-key": "order-7",
	} {
		if got[name] != want {
			t.Errorf("the header %s is %q, want %q", name, got[name], want)
		}
	}
}

// FuzzMask: nothing of a secret is left, whatever is around it and wherever the text is cut.
func FuzzMask(f *testing.F) {
	f.Add("a", "b", 3)
	// Escapes on both sides of the secret, which a mask could miscount.
	f.Add("\\", "\"", 40)
	f.Add("]}", `{"key":1}`, 100)
	f.Fuzz(func(t *testing.T, before, after string, cut int) {
		const secret = "hunter2hunter2"
		text, err := json.Marshal(map[string]any{"a": before, "password": secret + after, "z": []string{after, before}})
		// A text that has the secret elsewhere too is no test of the mask.
		if err != nil || strings.Contains(before+after, "hunter2") {
			return
		}
		for _, text := range []string{string(text), string(text)[:min(max(cut, 0), len(text))]} {
			if masked := mask(text); strings.Contains(masked, secret[:7]) {
				t.Errorf("%s is shown as %s", text, masked)
			}
		}
	})
}

// TestBodiesAreCutAtAWord shows what is kept of a body that is longer than its recorded beginning. The cut moves back
// to the last word, because half a credential is not recognized as one.
func TestBodiesAreCutAtAWord(t *testing.T) {
	long := strings.Repeat("x", gateway.MaxBegin)
	tests := []struct {
		name, begin string
		size        int
		want        content
	}{
		{"all of it", "a b", 3, content{"a b", 3, false}},
		{"the sign of a secret", "a •••", 11, content{"a …", 11, true}},
		{"a part of it", "a bc", 5, content{"a ", 5, true}},
		{"half a secret", `{"n":"fdm_1_` + digits[:20], 99, content{`{"n":"`, 99, true}},
		// Only 100 bytes are given up: a longer word is no credential.
		{"a word without an end", long, len(long) + 1, content{long[100:], len(long) + 1, true}},
		{"half a letter", "ü \xc3", 5, content{"ü ", 5, true}},
		// A body that is not text is not shown. A NUL cannot be passed to curl, so such a body does not count either.
		{"no text", "\xff\xfe", 2, content{"", 2, true}},
		{"no text in UTF-8", "a\x00", 2, content{"", 2, true}},
	}
	for _, test := range tests {
		if got := newContent(gateway.Text{Begin: test.begin, Size: test.size}); got != test.want {
			t.Errorf("%s: got %d bytes, %+.60v", test.name, len(got.Text), got)
		}
	}
}

// TestReasonOfARefusal shows where the list finds why a request failed. The APIs name it differently, and the mail
// endpoint answers 200 with the status "error".
func TestReasonOfARefusal(t *testing.T) {
	tests := []struct {
		status       int
		answer, want string
	}{
		{200, `{"status":"error","code":"invalid","error":"no recipient"}`, "no recipient"},
		{200, `{"status":"success","error":"x","message":"x"}`, ""},
		{200, `{"message":"hello"}`, ""},
		{200, `[]`, ""},
		{404, `{"message":"Not Found"}`, "Not Found"},
		{422, `{"error":{"deep":1},"message":"name is missing"}`, "name is missing"},
		{401, `{"success":false,"errors":["Invalid login","x"]}`, "Invalid login"},
		{500, `no JSON`, ""},
		{200, `{"status":"error","error":"the key fdm_1_` + digits + ` is revoked"}`, "the key fdm_••• is revoked"},
	}
	for _, test := range tests {
		x := newExchange(gateway.Request{Answer: gateway.Text{Begin: test.answer, Size: len(test.answer)}})
		if got := x.reason(test.status); got != test.want {
			t.Errorf("%d %s: %q, want %q", test.status, test.answer, got, test.want)
		}
	}
}

// TestExchangesAreBounded shows both limits of what is kept of bodies and headers: 32 MB, and 1,000 requests.
func TestExchangesAreBounded(t *testing.T) {
	x := exchanges{byID: map[string]exchange{}}
	// A quarter of the limit, and a header beside it: four of these are too many, three fit.
	large := exchange{Body: content{Text: strings.Repeat("x", maxExchanges/4)}, Header: map[string]string{"a": "b"}}
	for _, id := range []string{"1", "2", "3", "4", "5"} {
		x.add(id, large)
	}
	_, first := x.of("1")
	_, last := x.of("5")
	expect.Equal(t, "first", first, false)
	expect.Equal(t, "last", last, true)
	expect.Equal(t, "len(x.byID)", len(x.byID), 3)
	expect.AtMost(t, "x.size", x.size, maxExchanges)
	for i := range 2000 {
		x.add(string(rune('a'+i)), exchange{})
	}
	expect.Equal(t, "len(x.byID)", len(x.byID), 1000)
	expect.Equal(t, "x.size", x.size, 0)
}

// BenchmarkMask masks what a request log keeps of a body. Every request passes through it, also one with a
// large attachment.
func BenchmarkMask(b *testing.B) {
	for name, text := range map[string]string{
		"a mail":        `{"key":"fdm_1_` + digits + `","recipients":[{"email":"a@b"}],"html":"<p>Hello</p>"}`,
		"an attachment": `{"content":"` + strings.Repeat("QUJD", gateway.MaxBegin/4) + `"}`,
		"an HTML":       `{"html":"` + strings.Repeat("<p class=x>some words to read ", gateway.MaxBegin/30) + `"}`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				mask(text)
			}
		})
	}
}
