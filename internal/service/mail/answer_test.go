package mail_test

import (
	"cmp"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// lastWrite is a case of [testLastWrites]: what happens to the write that records SES's answer.
type lastWrite struct {
	throttled time.Duration   // from the first call of its request; 0 for to the end
	fault     *awsproxy.Fault // instead, at every attempt
	change    object          // of the mail
	ses       *awsproxy.Fault // of SES, for the mail's only group or its last one
	want      string          // what the final answer's error begins with, "" for success
	unsettled bool            // the first answer is not final: nobody knows what is stored
	answered  chan struct{}   // closed with the first answer; nil if nothing waits for it
}

// TestALastWriteIsRepeatedWhileThereIsTime: the last write succeeds in the end, even if the table throttles it for most
// of the function's 29 seconds.
func TestALastWriteIsRepeatedWhileThereIsTime(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		testLastWrites(t, start(t), map[string]lastWrite{
			"throttled for 2 seconds":  {throttled: 2 * time.Second},
			"throttled for 10 seconds": {throttled: 10 * time.Second},
			"throttled for 20 seconds": {throttled: 20 * time.Second},
		})
	})
}

// TestAnAnswerThatCannotBeRecorded: if the last write fails, the client gets what later requests will get from the
// record. If the answer to the write was lost, nobody knows what the record says: the client gets 503 and asks again.
func TestAnAnswerThatCannotBeRecorded(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		answered := make(chan struct{})
		afterwards := awsproxy.Late(func(apply func()) {
			go func() {
				<-answered
				apply()
			}()
		})
		testLastWrites(t, start(t), map[string]lastWrite{
			"of a mail that was sent": {want: unknown},
			// The write was applied, so a read finds the answer in the record: the client gets it at once.
			"written and never confirmed": {fault: awsproxy.CutAfter},
			"lost on the way each time":   {fault: awsproxy.CutBefore, unsettled: true, want: unknown},
			// The write arrives after its own request has given up on it.
			"written after the answer":    {fault: afterwards, answered: answered, unsettled: true},
			"of one that SES refuses":     {ses: awsproxy.Refuse(400, "BadRequestException", "Bad"), want: unknown},
			"of one whose answer is lost": {ses: awsproxy.CutAfter, want: unknown},
			// 220 recipients are five groups of at most 50, SES's limit for a call. SES throttles the last of them.
			"of one of which a group is left": {
				change: object{"bccs": recipients("last", 219)}, ses: awsproxy.Throttled, want: "the mail reached ",
			},
		})
	})
}

// testLastWrites sends the mails of all cases side by side, and then each of them three times again. All answers to a
// mail must be equal from the final one on. The last write is the one whose lease is the zero time, year 1.
func testLastWrites(t testing.TB, s *stack, cases map[string]lastWrite) {
	var mu sync.Mutex
	sending := map[string]lastWrite{} // by request
	begun := map[string]time.Time{}   // likewise
	s.inject(func(call awsproxy.Call) *awsproxy.Fault {
		mu.Lock()
		defer mu.Unlock()
		if begun[call.RequestID].IsZero() {
			begun[call.RequestID] = time.Now()
		}
		body := string(call.Body)
		// The address in a call of SES tells which case the request is. Later calls of the same request follow it.
		if call.Service == "ses" {
			for name, c := range cases {
				if strings.Contains(body, address(name)) {
					sending[call.RequestID] = c
				}
			}
			if c := sending[call.RequestID]; c.change == nil || strings.Contains(body, "last218@") {
				return c.ses
			}
			return nil
		}
		c, sent := sending[call.RequestID]
		if !sent || !strings.Contains(body, `"lease":{"S":"0001-`) {
			return nil
		}
		if c.throttled > 0 && time.Since(begun[call.RequestID]) > c.throttled {
			return nil
		}
		return cmp.Or(c.fault, awsproxy.Throttled)
	})
	var wait sync.WaitGroup
	for name, c := range cases {
		wait.Go(func() {
			m := s.mail(c.change)
			m["recipients"] = array{object{"email": address(name)}}
			key := strings.ReplaceAll(name, " ", "-")
			begin := time.Now()
			first := s.sendOnce(t, key, m)
			if c.answered != nil {
				close(c.answered)
			}
			if time.Since(begin) < c.throttled {
				t.Errorf("%s: answered after %s", name, time.Since(begin))
			}
			if c.unsettled {
				first.Is(t, http.StatusServiceUnavailable, object{"code": "unavailable"})
				expect.Not(t, first.retryAfter(), "", name)
				expect.Contains(t, first.Error, "with the same Idempotency-Key", name)
				first, _ = s.sendUntilFinal(t, key, m)
			}
			if (first.Outcome == "success") != (c.want == "") || !strings.HasPrefix(first.Error, c.want) {
				t.Errorf("%s: %+v, want error %q", name, first, c.want)
			}
			for range 3 {
				if later, _ := s.sendUntilFinal(t, key, m); later.Raw != first.Raw {
					t.Errorf("%s: later: %+v, first: %+v", name, later, first)
				}
			}
		})
	}
	wait.Wait()
}

// arriving is a fault that applies a call later than its client waits for an answer.
func arriving(by time.Duration) *awsproxy.Fault {
	return awsproxy.Late(func(apply func()) { time.AfterFunc(by, apply) })
}

// TestAClaimWithoutAnAnswerLosesNoMail: if the table does not answer the write that comes before SES, the client gets
// 503 and SES was not asked. A later request sends the mail, once, and the quota counts it once.
func TestAClaimWithoutAnAnswerLosesNoMail(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		file := func(s *stack) object { return object{"attachments": attachment(s.files.URL+"/hello.txt", nil)} }
		for name, c := range map[string]struct {
			fault  func(awsproxy.Call) *awsproxy.Fault // of the first request's calls
			change func(*stack) object                 // of the mail; nil for none
			mails  int
		}{
			"applied, and every answer is lost": {fault: action("PutItem", awsproxy.CutAfter), mails: 1},
			"lost on the way each time":         {fault: action("PutItem", awsproxy.CutBefore), mails: 1},
			"answered with 500 each time":       {fault: action("PutItem", awsproxy.ServerError), mails: 1},
			"applied 8 seconds late":            {fault: action("PutItem", arriving(8*time.Second)), mails: 1},
			"of a mail with a file": {
				fault: action("PutItem", awsproxy.CutAfter), change: file, mails: 1,
			},
			// With a download there are two writes: the claim, and the note that SES is asked. Here the second one
			// fails.
			"a file is fetched, and the write after that has no answer": {
				fault: after(1, "PutItem", awsproxy.CutAfter), change: file, mails: 1,
			},
			"a file is fetched, and what is written after that is 8 seconds late": {
				fault: after(1, "PutItem", arriving(8*time.Second)), change: file, mails: 1,
			},
			// The first two writes are applied, and so is each late one. None may be mistaken for another request's.
			"two are lost, the third answered, and all others 8 seconds late": {
				fault: func() func(awsproxy.Call) *awsproxy.Fault {
					first := firstN(2, "PutItem", awsproxy.CutAfter)
					others := after(3, "PutItem", arriving(8*time.Second))
					return func(c awsproxy.Call) *awsproxy.Fault { return cmp.Or(first(c), others(c)) }
				}(), mails: 1,
			},
			"of a mail in five groups": {
				fault:  action("PutItem", awsproxy.CutAfter),
				change: func(*stack) object { return object{"bccs": recipients("b", 204)} }, mails: 5,
			},
			"of a mail for each recipient": {
				fault:  action("PutItem", awsproxy.CutAfter),
				change: func(*stack) object { return object{"config": array{"separate"}} }, mails: 1,
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t)
				s.useLimitedKey(t, 1000)
				var change object
				if c.change != nil {
					change = c.change(s)
				}
				m := s.mail(change)
				s.inject(c.fault)
				first := s.sendOnce(t, "k", m)
				first.Is(t, http.StatusServiceUnavailable, object{"code": "unavailable"})
				expect.Not(t, first.retryAfter(), "")
				// Nothing was sent for certain, so the answer must not raise a doubt.
				expect.Lacks(t, first.Error, "sent")
				s.inject(nil)
				if n := s.sentMails(); n != 0 {
					t.Fatalf("%d mails were sent", n)
				}
				final, _ := s.sendUntilFinal(t, "k", m)
				if final.Outcome != "success" {
					t.Errorf("final answer %+v", final)
				}
				if again := s.sendOnce(t, "k", m); again.Raw != final.Raw || again.replayed() != "true" {
					t.Errorf("again %+v, want %+v", again, final)
				}
				if n := s.sentMails(); n != c.mails {
					t.Errorf("%d mails, want %d", n, c.mails)
				}
				if n := s.counted(t); n != recipientsOf(m) {
					t.Errorf("%d recipients are counted, want %d", n, recipientsOf(m))
				}
			})
		}
	})
}

// TestALastWriteThatAnotherRequestOvertakes: SES did not take the mail, the last write releases it, and the answer to
// the write is lost. Before the write is repeated, another request sends the mail. The other request's answer is final,
// so the first client must get 503.
func TestALastWriteThatAnotherRequestOvertakes(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		m := s.mail(nil)
		var other answer
		var overtaken atomic.Bool
		s.inject(func(c awsproxy.Call) *awsproxy.Fault {
			switch {
			case c.Service == "ses" && !overtaken.Load():
				return awsproxy.Throttled
			case !strings.Contains(string(c.Body), `"lease":{"S":"0001-`) || overtaken.Swap(true):
				return nil
			}
			return awsproxy.Late(func(apply func()) {
				apply()
				other = s.sendOnce(t, "k", m)
			})
		})
		first := s.sendOnce(t, "k", m)
		first.Is(t, http.StatusServiceUnavailable, nil)
		other.Is(t, http.StatusOK, object{"status": "success"})
		again := s.sendOnce(t, "k", m)
		expect.Equal(t, again.Raw, other.Raw)
		expect.Equal(t, s.sentMails(), 1)
	})
}

// recipientsOf counts the recipients of a mail in all three fields.
func recipientsOf(m object) (n int) {
	for _, field := range []string{"recipients", "ccs", "bccs"} {
		if list, ok := m[field].(array); ok {
			n += len(list)
		}
	}
	return n
}

// address makes an address of a case's name, so that a fault finds the case in the body of a call.
func address(name string) string { return strings.ReplaceAll(name, " ", "-") + "@example.org" }
