package maillog_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/service/mail/maillog"

	"github.com/guregu/dynamo/v2"
)

// FuzzEvent: whatever an event has, what is stored of it is bounded, and names only recipients of its mail.
func FuzzEvent(f *testing.F) {
	m := sentMail{newMailID(), "4711", time.Now(), []string{ada, ben}}
	abroad := sentMail{newMailID(), "4711", time.Now(), []string{"ada@xn--bcher-kva.example"}}
	for _, e := range append(six(m), m.reject(), m.delivery(1, ada, "private@example.net"),
		m.bounce(1, "Permanent", "General", `550 "a b"@example.net rfc822;x@y, <ADA@example.org>`, "x@example.net"),
		m.bounce(2, "Permanent", "General", `to=ada@example.org {"a\"b"@x.net} c\@x.net d%40x.net`, ben),
		abroad.bounce(3, "Permanent", "General", "<Ada@BÜCHER.example>", "ada@bücher.example"),
	) {
		text, err := json.Marshal(e)
		if err != nil {
			f.Fatal(err)
		}
		if items, err := maillog.Stored(text); err != nil || len(items) < 2 {
			f.Fatalf("%d items are stored of %s: %v", len(items), text, err)
		}
		f.Add(text)
	}
	named := regexp.MustCompile(`[\w.+-]+(\\?@|%40)[\w.-]+\w`)
	plain := strings.NewReplacer(`\@`, "@", "%40", "@")
	f.Fuzz(func(t *testing.T, event []byte) {
		items, err := maillog.Stored(event)
		if err != nil {
			return
		}
		for i, item := range items {
			stored, err := dynamo.MarshalItem(item)
			if err != nil {
				t.Fatal(err)
			}
			size := sizeOf(stored)
			expect.AtMost(t, size, maxEntry, "sizeOf(stored)")
			if i > 0 {
				expect.AtMost(t, size, maxEvent, "sizeOf(stored)")
			}
			var e struct {
				To         []string `dynamo:"to"`
				Recipients []string `dynamo:"recipients"`
				Detail     string   `dynamo:"detail"`
			}
			if err := dynamo.UnmarshalItem(stored, &e); err != nil {
				t.Fatal(err)
			}
			for _, address := range append(named.FindAllString(e.Detail, -1), e.Recipients...) {
				address = plain.Replace(address)
				names := func(to string) bool { return strings.Contains(strings.ToLower(to), strings.ToLower(address)) }
				if !slices.ContainsFunc(e.To, names) {
					t.Errorf("%q is stored of a mail to %q", address, e.To)
				}
			}
		}
	})
}
