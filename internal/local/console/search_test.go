package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestMailsAreSearched shows what a search finds: decoded text in any case, phrases, operators, and never markup
// or encodings.
func TestMailsAreSearched(t *testing.T) {
	// A text in another charset and encoding, HTML with text that no reader sees, and a file.
	message := mixed(
		"Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe to all",
		"Content-Type: text/html\n\n<style>.hidden{}</style><p>Fish&amp;chi<b>ps</b><script>nothing()</script> later",
		"Content-Type: application/pdf; name=bill.pdf\n\ninside",
	)
	message = "Subject: =?utf-8?q?=C3=89t=C3=A9?=\nTo: ada@example.org\n" + message
	for text, found := range map[string]bool{
		"": true, "GRÜSSE": false, "grüße": true, "GRÜßE": true, "fish&chips later": true, "été": true, "ada@": true,
		"bill.pdf": true, "grüße chips": true, "grüße none": false, "hidden": false, "nothing": false,
		"to:bob@": true, "to:eve@": false, "from:desk": true, "from:ada": false, `subject:"two words"`: true,
		`subject:"words two"`: false, "subject:words grüße": true, "subject:words none": false, "tag:do:news": true,
		"tag:news": true, "tag:old": false, "is:bounced": true, "is:sent": false, "IS:Bounced": true,
		"has:attachment": true, "has:warning": true, `"grüße to all"`: true, `"all to grüße"`: false, "bounced": true,
		// Words with a colon that are no operators are text.
		"http://none": false, "re:": false, "re: grüße": false, "re:none": false, `"cc:ada"`: false,
		"https://example.org/x": false, "note:to": false, "10:30": false, `"do:news`: true, `"`: true,
		"inside": false, "amp;": false, "=FC": false,
	} {
		w := serve(t, message, "/_local/search?text="+url.QueryEscape(text))
		want := map[bool]string{true: `["1"]`, false: `[]`}[found]
		got := strings.TrimSpace(w.Body.String())
		if got != want || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%q finds %s, want %s", text, got, want)
		}
	}
}

// TestSearchesThatCannotBe shows that a misspelt operator is an error and not a search without results.
func TestSearchesThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		"form:bär": "by form:, but by", "subjct:x": "by subjct:", "cc:ada": "by cc:",
		"fromm:x": "there is no search by fromm:", "is:open": "after is: stands one of sent, delivered",
		"has:x": "after has: stands one of attachment, warning",
	} {
		w := serve(t, "Subject: x\n\nx", "/_local/search?text="+url.QueryEscape(text))
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%q: got %d %s, want %s", text, w.Code, w.Body, want)
		}
	}
}
