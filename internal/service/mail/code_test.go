package mail_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/unsubscribe"
)

// TestCodes: every error has a code of the contract, in the answer and in its log line. Every code of the contract is
// seen with at least one error.
func TestCodes(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		good, id := s.key, s.id
		s.useLimitedKey(t, 1)
		limited := s.key
		s.key, s.id = good, id
		bad, cut := awsproxy.Refuse(400, "BadRequestException", "Bad"), awsproxy.CutAfter
		// The address says what SES does with a call. A mail for 60 recipients is two calls, and number 59 is in
		// the second.
		s.inject(func(c awsproxy.Call) *awsproxy.Fault {
			body := string(c.Body)
			has := func(name string) bool { return strings.Contains(body, name+"@example.org") }
			switch {
			case c.Service != "ses":
				return nil
			case has("refused"), has("some59"):
				return bad
			case has("lost"), has("others59"):
				return cut
			case has("later"):
				return awsproxy.Refuse(429, "TooManyRequestsException", "Daily message quota exceeded.")
			case has("slow"):
				return awsproxy.Delay(2 * time.Second)
			}
			return nil
		})
		to := func(addresses ...string) array {
			var list array
			for _, a := range addresses {
				list = append(list, object{"email": a})
			}
			return list
		}
		const text, at = "text", "@example.org"
		seen := map[string]bool{}
		for name, c := range map[string]struct {
			change object // of a good mail
			code   string
		}{
			"a bad address":           {object{"recipients": to("ada", "b"+at)}, "invalid_recipient"},
			"bad addresses of copies": {object{"ccs": to("b"), "bccs": to("c")}, "invalid_recipient"},
			"more than are listed":    {object{"ccs": to(slices.Repeat([]string{"a"}, 99)...)}, "invalid_recipient"},
			// invalid_recipient promises that the mail can be sent without the named addresses. With another fault that
			// is not true.
			"a bad address among others": {object{"recipients": to("ada"), "subject": "a\nb"}, "invalid"},
			// Leaving the recipient out is not what the sender wants: the name is wrong, the address is good.
			"a bad name of a recipient":   {object{"ccs": array{object{"email": "a" + at, "name": "\n"}}}, "invalid"},
			"a bad address to answer to":  {object{"replyto": to("ada")}, "invalid"},
			"a bad address of the sender": {object{"sender": object{"email": "ada"}}, "invalid"},
			"no recipient":                {object{"recipients": array{}}, "invalid"},
			"a subject against a rule":    {object{"subject": "a\nb"}, "invalid"},
			"a sender of others":          {object{"sender": object{"email": "a@b.example"}}, "sender_not_allowed"},
			"nothing to read":             {object{text: " "}, "empty_body"},
			"a missing file": {
				object{"attachments": attachment(s.files.URL+"/404", nil)}, "download_failed",
			},
			"a missing text":            {object{"htmlurl": s.files.URL + "/404"}, "download_failed"},
			"a large request":           {object{text: strings.Repeat("a", 4<<20)}, "too_large"},
			"a wrong type":              {object{text: 7}, "malformed"},
			"a bad key":                 {object{"key": "bad"}, "unauthorized"},
			"more than the quota":       {object{"key": limited, "ccs": to("b" + at)}, "quota_exceeded"},
			"refused by SES":            {object{"recipients": to("refused" + at)}, "ses_rejected"},
			"SES's quota":               {object{"recipients": to("later" + at)}, "ses_unavailable"},
			"a lost answer":             {object{"recipients": to("lost" + at)}, "unknown_outcome"},
			"some refused":              {object{"recipients": recipients("some", 60)}, "partly_sent"},
			"some sent, others unknown": {object{"recipients": recipients("others", 60)}, "unknown_outcome"},
		} {
			s.hasCode(t, name, s.send(t, s.mail(c.change)), c.code)
			seen[c.code] = true
		}

		// This code needs a recipient who has unsubscribed before.
		gone := unsubscribe.Subscription{MailKey: s.id, List: "news", Recipient: "gone" + at}
		if added, err := (unsubscribe.Store{Table: s.Table}).Add(t.Context(), gone); !added || err != nil {
			t.Fatal(added, err)
		}
		s.hasCode(t, "nobody left", s.send(t, s.newsletter(to("gone"+at), nil)), "unsubscribed")
		seen["unsubscribed"] = true

		// Codes that only a second request with the same Idempotency-Key gets.
		first := s.sendOnce(t, "one", s.mail(object{"recipients": to("lost" + at)}))
		s.hasCode(t, "an outcome that stays unknown", first, "unknown_outcome")
		again := s.sendOnce(t, "one", s.mail(object{"recipients": to("lost" + at)}))
		s.hasCode(t, "the same answer again", again, "unknown_outcome")
		expect.Equal(t, again.Raw, first.Raw)
		expect.Equal(t, again.replayed(), "true")
		s.hasCode(t, "a key of another mail", s.sendOnce(t, "one", s.mail(nil)), "idempotency_key_reused")
		// One of the two claims the mail, and SES takes two seconds for it. The other meets the claim.
		answers := make(chan answer)
		for range 2 {
			go func() { answers <- s.sendOnce(t, "two", s.mail(object{"recipients": to("slow" + at)})) }()
		}
		for range 2 {
			if r := <-answers; r.Status != http.StatusOK {
				s.hasCode(t, "two at once", r, "conflict")
				seen["conflict"] = true
			}
		}

		// Codes for faults of the table.
		for fault, code := range map[*awsproxy.Fault]string{
			awsproxy.Throttled: "unavailable", awsproxy.Refuse(400, "AccessDeniedException", ""): "internal",
		} {
			s.inject(action("BatchGetItem", fault))
			s.hasCode(t, "a fault of the table", s.send(t, s.mail(nil)), code)
			seen[code] = true
		}
		// The enumeration of the contract must hold nothing that no request can get.
		seen["idempotency_key_reused"] = true

		contract, err := contracttest.Load()
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range contract.Components.Schemas["MailErrorCode"].Value.Enum {
			if !seen[code.(string)] {
				t.Errorf("no error has the code %s", code)
			}
		}
	})
}

// hasCode checks the code of an answer and of its log line.
func (s *stack) hasCode(t testing.TB, name string, r answer, code string) {
	t.Helper()
	if r.Outcome != "error" || r.Code != code {
		t.Errorf("%s: %s, want code %s", name, r, code)
	}
	var logged fixture.Object
	line := localtest.WaitLog(t, s.Stack.Stack, `"request_id":"`+r.RequestID+`"`)
	if err := json.Unmarshal([]byte(line), &logged); err != nil || logged["code"] != code {
		t.Errorf("%s: logged as %s, want code %s", name, line, code)
	}
}
