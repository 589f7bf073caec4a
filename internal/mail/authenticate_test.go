package mail_test

import (
	"net/http"
	"testing"

	"frontdesk/internal/credential"
	"frontdesk/internal/id"
	"frontdesk/internal/mail/mailkey"
)

// TestTheKeyComesFirst: whatever is wrong with a key is the same 401, before anything else that is wrong, and
// after at most one read.
func TestTheKeyComesFirst(t *testing.T) {
	s := start(t)
	revoked, revokedText := s.NewMailKey(t, mailkey.Key{Name: "revoked", From: []string{"*"}})
	if _, err := s.keys.Revoke(t.Context(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	unknown, _ := credential.Mint(credential.MailKey, id.New())
	wrong, _ := credential.Mint(credential.MailKey, s.id)
	otherKind, _ := credential.Mint(credential.PlatformApp, s.id)
	for name, c := range map[string]struct {
		key   any
		reads int
	}{
		"missing":                 {nil, 0},
		"empty":                   {"", 0},
		"a number":                {7, 0},
		"an array":                {array{s.key}, 0},
		"malformed":               {"secret", 0},
		"of another kind":         {otherKind, 0},
		"with space around":       {s.key + " ", 0},
		"unknown":                 {unknown, 1},
		"with the wrong secret":   {wrong, 1},
		"revoked":                 {revokedText, 1},
		"a path instead of a key": {"../" + s.key, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bad := s.mail(object{"key": c.key, "recipients": "none", "htmlurl": s.files.URL + "/hello.html"})
			const want = "key is missing or not a valid API key"
			s.mustRefuse(t, bad, http.StatusUnauthorized, want)
			r := s.send(t, bad)
			if r.Error != want || len(r.Body) != 2 {
				t.Errorf("answer %v", r.Body)
			}
			if actions := s.Actions(r.Answer); len(actions) != c.reads {
				t.Errorf("round trips %q, want %d", actions, c.reads)
			}
		})
	}
}
