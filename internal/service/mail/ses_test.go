package mail_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// TestSES: the service asks SES again only after a throttle, when the mail was certainly not sent. Other errors say
// that it may have been sent. SES knows no idempotency key, so a second call might be a second mail.
func TestSES(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			faults   []*awsproxy.Fault // of the calls to SES, in turn
			attempts int               // 0 for several
			captured int
			want     string // error, "" for success
		}{
			"taken at once": {attempts: 1, captured: 1},
			"throttled twice, then sent once": {
				faults: []*awsproxy.Fault{awsproxy.Throttled, awsproxy.Throttled}, attempts: 3, captured: 1,
			},
			"throttled to the end": {
				faults: slices.Repeat([]*awsproxy.Fault{awsproxy.Throttled}, 1000),
				want:   "the mail was not sent: SES is asked too often at the moment",
			},
			"cut after the body": {
				faults: []*awsproxy.Fault{awsproxy.CutAfter}, attempts: 1, captured: 1,
				want: "the mail may or may not have been sent: the connection to SES was lost",
			},
			// The service cannot tell this from the case above: in both the connection ends without an answer.
			"cut before it was read": {
				faults: []*awsproxy.Fault{awsproxy.CutBefore}, attempts: 1,
				want: "the mail may or may not have been sent: the connection to SES was lost",
			},
			"500": {
				faults: []*awsproxy.Fault{awsproxy.ServerError}, attempts: 1,
				want: "the mail may or may not have been sent: SES answered 500",
			},
			// The client gets an answer, and not the 503 of API Gateway for a function that timed out.
			"no answer before the function ends": {
				faults: []*awsproxy.Fault{awsproxy.Delay(time.Minute)}, attempts: 1,
				want: "the mail may or may not have been sent: SES did not answer in time",
			},
			"throttled, then cut": {
				faults: []*awsproxy.Fault{awsproxy.Throttled, awsproxy.CutAfter}, attempts: 2, captured: 1,
				want: "the mail may or may not have been sent: the connection to SES was lost",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t)
				var attempts atomic.Int64
				s.inject(func(call awsproxy.Call) *awsproxy.Fault {
					if call.Service != "ses" {
						return nil
					}
					if n := int(attempts.Add(1)); n <= len(c.faults) {
						return c.faults[n-1]
					}
					return nil
				})
				r := s.send(t, s.mail(nil))
				r.Is(t, http.StatusOK, nil)
				expect.Equal(t, r.Error, c.want)
				expect.Equal(t, r.Outcome == "success", c.want == "")
				if n := int(attempts.Load()); n != c.attempts && (c.attempts > 0 || n < 3) {
					t.Errorf("%d attempts, want %d", n, c.attempts)
				}
				if n := s.sentMails(); n != c.captured {
					t.Errorf("SES has %d mails, want %d", n, c.captured)
				}
			})
		}
	})
}

// TestThrottledMessageArrivesIntact: each attempt sends the message from its beginning, although the one before has
// read some of it.
func TestThrottledMessageArrivesIntact(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		var attempts atomic.Int64
		s.inject(func(call awsproxy.Call) *awsproxy.Fault {
			if call.Service == "ses" && attempts.Add(1) <= 2 {
				return awsproxy.Throttled
			}
			return nil
		})
		m, _ := s.mustSend(t, s.mail(object{"attachments": attachment(s.files.URL+"/bytes/3000000", nil)}))
		what := fmt.Sprintf("after %d attempts SES has another message: ", attempts.Load())
		expect.Len(t, m.leaves, 2, what)
		expect.Equal(t, m.leaves[0].body, "Hello", what)
		expect.Equal(t, m.leaves[1].body, bytesOf(3_000_000), what)
		if n := attempts.Load(); n != 3 {
			t.Errorf("%d attempts, want 3", n)
		}
	})
}

// TestDynamoDBFaults: a read without an answer is repeated, and one that is not permitted is an internal error, never
// 401, which would tell the client that its key is bad.
func TestDynamoDBFaults(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		refuse := awsproxy.Refuse(400, "AccessDeniedException", "")
		for name, c := range map[string]struct {
			fault *awsproxy.Fault
			is    int
		}{
			"no answer within 2 seconds": {awsproxy.Delay(time.Minute), http.StatusOK},
			"not permitted":              {refuse, http.StatusInternalServerError},
		} {
			s.inject(nth(1, "BatchGetItem", c.fault))
			r := s.send(t, s.mail(nil))
			expect.Equal(t, r.Status, c.is, name+": status")
			if c.is != http.StatusOK && (r.Error != "Internal error" || r.Body["request_id"] != r.RequestID) {
				t.Errorf("%s: answer %v to request %s", name, r.Body, r.RequestID)
			}
		}
	})
}

// TestTheLogNamesWhatSESTook: where no answer could be recorded, and the client got none, the log has the only trace of
// the mail.
func TestTheLogNamesWhatSESTook(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			fault   func(awsproxy.Call) *awsproxy.Fault
			status  int
			outcome string
		}{
			"a mail":                             {nil, http.StatusOK, `"outcome":"success"`},
			"a mail whose answer is not written": {after(1, "PutItem", awsproxy.ServerError), 503, `"fault"`},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t)
				s.inject(c.fault)
				r := s.sendOnce(t, "k", s.mail(nil))
				r.Is(t, c.status, nil)
				line := localtest.WaitLog(t, s.Stack.Stack, `"request_id":"`+r.RequestID+`"`)
				expect.Contains(t, line, `"ses_message_ids":["`+s.Outbox().Mails()[0].ID+`"]`, "the log")
				expect.Contains(t, line, c.outcome, "the log")
			})
		}
	})
}

// TestLogsTellNoSecrets searches all log lines for mail keys, addresses, names and texts of mails.
func TestLogsTellNoSecrets(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s.mustSend(t, s.everything())
		s.send(t, s.mail(object{"recipients": array{object{"email": "broken"}}, "text": "private words"}))
		s.send(t, s.mail(object{"key": "fdm_guess"}))
		last := s.send(t, s.mail(object{"text": 1}))
		localtest.WaitLog(t, s.Stack.Stack, last.RequestID)
		for _, line := range localtest.Logs(s.Stack.Stack) {
			for _, secret := range []string{s.key, "fdm_", "@example", "private words", "Lovelace", "broken"} {
				if strings.Contains(line, secret) {
					t.Errorf("the log has %q: %s", secret, line)
				}
			}
		}
	})
}
