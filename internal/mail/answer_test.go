package mail_test

import (
	"cmp"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/local"
	"frontdesk/internal/local/gate"
)

// lastWrite is what happens to the last write of a mail.
type lastWrite struct {
	throttled time.Duration // from the first call of its request; 0 for to the end
	fault     *gate.Fault   // instead, at every attempt
	change    object        // of the mail
	ses       *gate.Fault   // of SES, for the mail's only group or its last one
	want      string        // what the error begins with, "" for success
}

// TestALastWriteIsRepeatedWhileThereIsTime: it may be throttled for as long as the function has.
func TestALastWriteIsRepeatedWhileThereIsTime(t *testing.T) {
	t.Parallel()
	testLastWrites(t, nil, map[string]lastWrite{
		"throttled for 2 seconds":  {throttled: 2 * time.Second},
		"throttled for 10 seconds": {throttled: 10 * time.Second},
		"throttled for 25 seconds": {throttled: 25 * time.Second},
	})
}

// TestAnAnswerThatCannotBeRecorded: it says what later requests will say, who know no more than the record.
func TestAnAnswerThatCannotBeRecorded(t *testing.T) {
	t.Parallel()
	testLastWrites(t, shortTimeout(t), map[string]lastWrite{
		"of a mail that was sent":     {want: unknown},
		"written and never confirmed": {fault: gate.CutAfter},
		"lost on the way each time":   {fault: gate.CutBefore, want: unknown},
		"of one that SES refuses":     {ses: gate.Refuse(400, "BadRequestException", "Bad"), want: unknown},
		"of one whose answer is lost": {ses: gate.CutAfter, want: unknown},
		"of one of which a group is left": {
			change: object{"bccs": recipients("last", 219)}, ses: gate.Throttled, want: "the mail reached ",
		},
	})
}

// testLastWrites sends mails side by side, and then each of them again.
func testLastWrites(t *testing.T, change func(*local.Options), cases map[string]lastWrite) {
	var s *stack
	if change == nil {
		s = start(t)
	} else {
		s = start(t, change)
	}
	var mu sync.Mutex
	sending := map[string]lastWrite{} // by request
	begun := map[string]time.Time{}   // likewise
	s.Gate().Inject(func(call gate.Call) *gate.Fault {
		mu.Lock()
		defer mu.Unlock()
		if begun[call.RequestID].IsZero() {
			begun[call.RequestID] = time.Now()
		}
		body := string(call.Body)
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
		return cmp.Or(c.fault, gate.Throttled)
	})
	var wait sync.WaitGroup
	for name, c := range cases { // no parallel subtests, which would begin after all other tests: these wait longest
		wait.Go(func() {
			m := s.mail(c.change)
			m["recipients"] = array{object{"email": address(name)}}
			begin := time.Now()
			first := s.sendOnce(t, strings.ReplaceAll(name, " ", "-"), m)
			if (first.Outcome == "success") != (c.want == "") || !strings.HasPrefix(first.Error, c.want) ||
				time.Since(begin) < c.throttled {
				t.Errorf("%s: after %s: %+v, want error %q", name, time.Since(begin), first, c.want)
			}
			for range 3 {
				if later, _ := s.sendUntilFinal(t, strings.ReplaceAll(name, " ", "-"), m); later.Raw != first.Raw {
					t.Errorf("%s: later: %+v, first: %+v", name, later, first)
				}
			}
		})
	}
	wait.Wait()
}

// address is one for a name.
func address(name string) string { return strings.ReplaceAll(name, " ", "-") + "@example.org" }
