package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
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
		// A minus excludes what the term behind it finds.
		"-none": true, "-grüße": false, "grüße -none": true, "grüße -chips": false, "-to:bob@": false, "-to:eve@": true,
		"-is:sent": true, "-is:bounced": false, "-has:warning": false, `-"grüße to all"`: false,
		`-"all to grüße"`: true, `-subject:"two words"`: false, "-note:to": true, "-after:2026-11-27": true,
		// A minus inside a word or alone, two of them, and one in quotes are text.
		"two-words": false, "-": false, "--none": false, `"-none"`: false, `-"`: true, `-""`: true,
		// A day begins at midnight, after: with it, before: ahead of it.
		"after:2026-11-26": true, "before:2026-11-26": false, "after:2026-11-27": false, "before:2026-11-27": true,
		"after:2026-11-26 before:2026-11-27": true, "after:2026-11-26T23:15": true, "before:2026-11-26T23:15": false,
		"after:2026-11-26T23:16": false, `before:"2026-11-26 23:16"`: true, "after:2026-11-26T23:15:31": false,
	} {
		w := serve(t, message, "/_local/search?text="+url.QueryEscape(text))
		want := map[bool]string{true: `["1"]`, false: `[]`}[found]
		got := strings.TrimSpace(w.Body.String())
		if got != want || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%q finds %s, want %s", text, got, want)
		}
	}
}

// TestDaysAreThoseOfTheReader: a page names its time zone, in which this mail came a quarter past midnight.
func TestDaysAreThoseOfTheReader(t *testing.T) {
	for text, want := range map[string]string{
		"after:2026-11-27": `["1"]`, "before:2026-11-27": `[]`, "before:2026-11-27T00:16": `["1"]`,
	} {
		search := "/_local/search?zone=Europe/Berlin&text=" + url.QueryEscape(text)
		got := strings.TrimSpace(serve(t, "Subject: x\n\nx", search).Body.String())
		expect.Equal(t, got, want, text)
	}
	w := serve(t, "Subject: x\n\nx", "/_local/search?zone=Atlantis&text=x")
	expect.Equal(t, w.Code, http.StatusBadRequest, "status of an unknown zone")
	expect.Contains(t, w.Body.String(), "unknown time zone Atlantis", "message")
}

// TestSearchesThatCannotBe shows that a misspelt operator is an error and not a search without results.
func TestSearchesThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		"form:bär": "by form:, but by", "subjct:x": "by subjct:", "cc:ada": "by cc:",
		"fromm:x": "there is no search by fromm:", "is:open": "after is: stands one of sent, delivered",
		"has:x": "after has: stands one of attachment, warning", "-form:x": "there is no search by form:, but by",
		"before:yesterday":  "before:yesterday finds nothing: it needs a day, as in before:2026-11-26, or a day and",
		"-after:2026-13-01": "after:2026-13-01 finds nothing",
	} {
		w := serve(t, "Subject: x\n\nx", "/_local/search?text="+url.QueryEscape(text))
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%q: got %d %s, want %s", text, w.Code, w.Body, want)
		}
	}
}

// FuzzSearch: whatever is typed finds mails or none, or is an error that says something.
func FuzzSearch(f *testing.F) {
	for _, text := range []string{`-to:"a b`, "--", `-""`, "after:2026-11-26t10:15", "-before:0001-01-01", `note:"x"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w := serve(t, "Subject: x\n\nx", "/_local/search?text="+url.QueryEscape(text))
		found := w.Code == http.StatusOK && strings.HasPrefix(w.Body.String(), "[")
		if !found && (w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `{"message":"`)) {
			t.Errorf("%q: got %d %s", text, w.Code, w.Body)
		}
	})
}
