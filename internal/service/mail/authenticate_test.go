package mail_test

import (
	"maps"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"
)

// TestTheKeyComesFirst: every fault of a mail key gives the same 401, before any other fault of the mail, and after at
// most one read. A key that is malformed costs no read. That there is none is told: nobody learns anything by it.
func TestTheKeyComesFirst(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
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
			"missing":   {nil, 0},
			"empty":     {"", 0},
			"a number":  {7, 0},
			"an array":  {array{s.key}, 0},
			"malformed": {"secret", 0},
			// A token for the other APIs is known by its prefix. The table is not asked.
			"of another kind":         {otherKind, 0},
			"with space around":       {s.key + " ", 0},
			"unknown":                 {unknown, 1},
			"with the wrong secret":   {wrong, 1},
			"revoked":                 {revokedText, 1},
			"a path instead of a key": {"../" + s.key, 0},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				bad := s.mail(object{"key": c.key, "recipients": "none", "htmlurl": s.files.URL + "/hello.html"})
				want := "key is not a valid API key; it takes a mail key (fdm_…): tokens (fda_…, fdp_…) send no mail"
				if c.key == nil || c.key == "" {
					want = `key is missing; give the mail key in the body, as in "key": "fdm_…": no header is looked at`
				}
				s.mustRefuse(t, bad, http.StatusUnauthorized, want)
				r := s.send(t, bad)
				expect.Equal(t, r.Error, want)
				expect.Equal(t, r.Code, "unauthorized")
				// status, code and error: no request_id, no warning, nothing that differs from key to key.
				expect.Equal(t, len(r.Body), 3)
				if actions := s.Actions(r.Answer); len(actions) != c.reads {
					t.Errorf("round trips %q, want %d", actions, c.reads)
				}
			})
		}
	})
}

// TestAKeyTouchesItsOwnItemsAlone: a request reads and writes only items below its own mail key. The function's policy
// cannot enforce that: it names prefixes of partitions, not keys.
func TestAKeyTouchesItsOwnItemsAlone(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s.useLimitedKey(t, 100)
		partition := regexp.MustCompile(`"PK":{"S":"([^"]*)"}`)
		s.inject(forAddress("refused@example.org", math.MaxInt64, awsproxy.Refuse(400, "BadRequestException", "Bad")))
		proved := s.id.Key()
		allowed := []string{"MAILKEY#" + proved, "MAILDAY#" + proved, "IDEMPOTENCY#" + proved + "#"}
		seen := map[string]bool{}
		refused, big := array{object{"email": "refused@example.org"}}, recipients("r", 60)
		for name, r := range map[string]answer{
			"sent":                 s.send(t, s.mail(nil)),
			"sent once":            s.sendOnce(t, "a", s.mail(nil)),
			"again":                s.sendOnce(t, "a", s.mail(nil)),
			"refused by SES":       s.sendOnce(t, "b", s.mail(object{"recipients": refused})),
			"refused by the quota": s.sendOnce(t, "c", s.mail(object{"recipients": recipients("r", 99)})),
			"to many":              s.sendOnce(t, "d", s.mail(object{"recipients": big})),
			"with a bad secret":    s.sendOnce(t, "e", s.mail(object{"key": s.key[:len(s.key)-1] + "?"})),
		} {
			for _, call := range s.AWSProxy().Calls(r.RequestID) {
				for _, key := range partition.FindAllStringSubmatch(string(call.Body), -1) {
					if !slices.ContainsFunc(allowed, func(own string) bool { return strings.HasPrefix(key[1], own) }) {
						t.Errorf("%s: %s of %s", name, call.Action, key[1])
					}
					seen[call.Action] = true
				}
			}
		}
		// Without this the test would also pass if the requests wrote nothing.
		want := []string{"BatchGetItem", "PutItem", "TransactWriteItems", "UpdateItem"}
		if got := slices.Sorted(maps.Keys(seen)); !slices.Equal(got, want) {
			t.Errorf("seen are %q, want %q", got, want)
		}
	})
}
