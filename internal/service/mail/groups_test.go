package mail_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/mail"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"
)

// sentTo returns every address that SES has sent to, once for each mail.
func (s *stack) sentTo(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, m := range s.Outbox().Mails() {
		if len(m.To) > 50 {
			t.Errorf("SES was asked for %d recipients at once", len(m.To))
		}
		all = append(all, m.To...)
	}
	return all
}

// mustReachOnce fails the test unless SES has sent once to every address of the lists, and to no other.
func (s *stack) mustReachOnce(t testing.TB, lists ...array) {
	t.Helper()
	var want []string
	for _, list := range lists {
		for _, r := range list {
			want = append(want, r.(object)["email"].(string))
		}
	}
	got := s.sentTo(t)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("sent to %d addresses, want each of %d once:\n%.2000q", len(got), len(want), got)
	}
}

// TestAMailForManyIsSentInGroups: 121 recipients are three calls of SES. Each message shows all of To and Cc, although
// it goes to 50 of them, and none shows a Bcc.
func TestAMailForManyIsSentInGroups(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		to, cc, bcc := recipients("to", 60), recipients("cc", 30), recipients("bcc", 31)
		r := s.send(t, s.mail(object{"recipients": to, "ccs": cc, "bccs": bcc, "subject": "All of you"}))
		r.Is(t, http.StatusOK, object{"status": "success"})
		expect.Len(t, r.IDs, 3)
		expect.Equal(t, r.ID, r.IDs[0])
		s.mustReachOnce(t, to, cc, bcc)
		for i, id := range r.IDs {
			m := s.captured(t, id)
			// ids are in the order of the groups, and the groups in the order of the recipients.
			if want := []int{50, 50, 21}[i]; len(m.to) != want {
				t.Errorf("group %d has %d recipients, want %d", i, len(m.to), want)
			}
			for field, want := range map[string]array{"To": to, "Cc": cc} {
				list, err := m.header.AddressList(field)
				what := fmt.Sprintf("group %d: ", i)
				if err != nil {
					t.Fatalf("%s%v", what, err)
				}
				expect.Len(t, list, len(want), what)
				expect.Equal[any](t, list[len(list)-1].Address, want[len(want)-1].(object)["email"], what)
			}
			expect.Lacks(t, string(m.raw), "bcc0@")
			expect.Equal(t, m.header.Has("Bcc"), false)
		}
		expect.Equal(t, s.Rounds(r.Answer), []string{"BatchGetItem", "SendEmail SendEmail SendEmail"})
	})
}

// TestHowManyAMailCanHave shows where a new group begins, and that an answer has ids only for several groups.
func TestHowManyAMailCanHave(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, c := range map[string]struct{ to, cc, bcc, groups int }{
			"50 are one group": {to: 50, groups: 1},
			"51 are two":       {to: 50, bcc: 1, groups: 2},
			"1,000, among them a group without any To": {to: 1, cc: 500, bcc: 499, groups: 20},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t)
				to, cc, bcc := recipients("to", c.to), recipients("cc", c.cc), recipients("bcc", c.bcc)
				r := s.send(t, s.mail(object{"recipients": to, "ccs": cc, "bccs": bcc}))
				r.Is(t, http.StatusOK, object{"status": "success"})
				expect.Equal(t, s.sentMails(), c.groups)
				expect.Equal(t, len(r.IDs) == c.groups, c.groups > 1)
				s.mustReachOnce(t, to, cc, bcc)
			})
		}
	})
}

// TestWhoIsNamedTwiceGetsTheMailOnce: addresses are compared without regard to case, across To, Cc and Bcc and across
// groups. The first spelling is written.
func TestWhoIsNamedTwiceGetsTheMailOnce(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		to := recipients("to", 60)
		twice := array{
			object{"email": "to0@EXAMPLE.org"}, object{"email": "to59@example.org"}, object{"email": "TO1@example.org"},
		}
		r := s.send(t, s.mail(object{"recipients": to, "ccs": twice, "bccs": twice}))
		r.Is(t, http.StatusOK, object{"status": "success"})
		expect.Equal(t, len(r.IDs), 2)
		s.mustReachOnce(t, to)
	})
}

// forAddress is a fault of the first n calls of SES for the group with an address in its To.
func forAddress(address string, n int64, f *awsproxy.Fault) func(awsproxy.Call) *awsproxy.Fault {
	var calls atomic.Int64
	return func(c awsproxy.Call) *awsproxy.Fault {
		if c.Service != "ses" {
			return nil
		}
		var in struct {
			Destination struct{ ToAddresses []string }
		}
		if json.Unmarshal(c.Body, &in) == nil && slices.Contains(in.Destination.ToAddresses, address) &&
			calls.Add(1) <= n {
			return f
		}
		return nil
	}
}

// either is the first of some faults that applies to a call.
func either(some ...func(awsproxy.Call) *awsproxy.Fault) func(awsproxy.Call) *awsproxy.Fault {
	return func(c awsproxy.Call) *awsproxy.Fault {
		for _, meets := range some {
			if f := meets(c); f != nil {
				return f
			}
		}
		return nil
	}
}

// TestAGroupThatFails: the error counts the recipients who have the mail. A retry sends it to those who certainly do
// not have it, and never to those who may.
func TestAGroupThatFails(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		const (
			throttled = "SES is asked too often at the moment"
			died      = "the request that sent it ended before SES's answer was recorded"
		)
		for name, c := range map[string]struct {
			fault     func(awsproxy.Call) *awsproxy.Fault
			want      string
			sent      int // groups, the first time
			then      string
			recipient int // who has it in the end
		}{
			"throttled to the end": {
				fault: forAddress("to60@example.org", 1000, awsproxy.Throttled),
				want:  "the mail reached 70 of 120 recipients; it was not sent to 50: " + throttled,
				sent:  2, recipient: 120,
			},
			// Nobody knows whether the group has the mail. Sending it again might be a second mail, so the answer is
			// final.
			"its answer is lost": {
				fault: forAddress("to110@example.org", 1, awsproxy.CutBefore),
				want: "the mail reached 100 of 120 recipients; " +
					"it may or may not have been sent to 20: the connection to SES was lost",
				sent: 2,
				then: "the mail reached 100 of 120 recipients; " +
					"it may or may not have been sent to 20: the connection to SES was lost",
				recipient: 100,
			},
			// The retry sends the throttled group. The lost one stays unknown, and the reason is now that of the
			// record.
			"one throttled, one lost": {
				fault: either(
					forAddress("to0@example.org", 1000, awsproxy.Throttled),
					forAddress("to60@example.org", 1, awsproxy.CutBefore),
				),
				want: "the mail reached 20 of 120 recipients; it was not sent to 50: " + throttled + "; " +
					"it may or may not have been sent to 50: the connection to SES was lost",
				sent:      1,
				then:      "the mail reached 70 of 120 recipients; it may or may not have been sent to 50: " + died,
				recipient: 70,
			},
			"all of them throttled": {
				fault: ses(awsproxy.Throttled), want: "the mail was not sent: " + throttled, recipient: 120,
			},
			// There is nothing to send again: the first answer is replayed.
			"all of them lost": {fault: ses(awsproxy.CutBefore), want: lost, then: lost},
			"none":             {sent: 3, recipient: 120},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t)
				s.inject(c.fault)
				to := recipients("to", 120)
				m := s.mail(object{"recipients": to})
				r := s.sendOnce(t, "k", m)
				r.Is(t, http.StatusOK, nil)
				expect.Equal(t, r.Error, c.want)
				expect.Equal(t, len(r.IDs), c.sent)
				expect.Equal(t, s.sentMails(), c.sent)
				s.inject(nil)
				last := s.sendOnce(t, "k", m)
				if last.Error != c.then || (last.Outcome == "success") != (c.then == "") {
					t.Errorf("the retry: %+v, want error %q", last, c.then)
				}
				// A replay is an answer from the record. A retry that sends is none.
				if final := c.want == c.then; final != (last.replayed() == "true") {
					t.Errorf("the retry: %+v", last)
				}
				if got := s.sentTo(t); len(got) != c.recipient ||
					len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(got) {
					t.Errorf("sent to %d, want %d, each once", len(got), c.recipient)
				}
				again := s.sendOnce(t, "k", m)
				expect.Equal(t, again.replayed(), "true", "and again")
				expect.Equal(t, again.Error, c.then, "and again")
			})
		}
	})
}

// TestKilledAmongTheGroups: the process dies while it sends 20 groups. The next request sends to the groups that were
// never begun. It sends nothing to the others, and says how many recipients may or may not have the mail.
func TestKilledAmongTheGroups(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		// The process dies when SES has taken the eighth of 20 groups. Four are under way at once.
		s.inject(nth(8, "SendEmail", awsproxy.KillAfter))
		to := recipients("to", 1000)
		m := s.mail(object{"recipients": to})
		killed := s.sendOnce(t, "k", m)
		if killed.Status != http.StatusInternalServerError {
			t.Fatalf("answer %+v", killed)
		}
		before := len(s.sentTo(t))
		r, _ := s.sendUntilFinal(t, "k", m)
		var reached, of, unclear int
		const want = "the mail reached %d of %d recipients; it may or may not have been sent to %d: the request"
		if _, err := fmt.Sscanf(r.Error, want, &reached, &of, &unclear); err != nil {
			t.Fatalf("answer %+v: %v", r, err)
		}
		// How many groups SES has taken depends on the scheduler, so the test holds the answer against the outbox.
		expect.AtLeast(t, before, 400)
		expect.AtMost(t, before, 999)
		expect.Equal(t, of, 1000)
		expect.Equal(t, reached+unclear, 1000)
		expect.AtLeast(t, unclear, 50)
		expect.AtMost(t, unclear, 400)
		expect.Equal(t, reached, 50*len(r.IDs))
		got := s.sentTo(t)
		if len(got) < reached || len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(got) {
			t.Errorf("sent to %d, %d of them known: want each at most once", len(got), reached)
		}
		again := s.sendOnce(t, "k", m)
		expect.Equal(t, again.replayed(), "true", "again")
		expect.Equal(t, again.Error, r.Error, "again")
	})
}

// TestARateOfRecipientsIsWaitedFor: SES counts recipients, not calls. After a call for 50 recipients it throttles until
// its rate has caught up, and the service waits for that.
func TestARateOfRecipientsIsWaitedFor(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		const rate = 50 // recipients a second
		s := start(t)
		var mu sync.Mutex
		var free time.Time
		s.inject(func(c awsproxy.Call) *awsproxy.Fault {
			if c.Service != "ses" {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			if time.Now().Before(free) {
				return awsproxy.Throttled
			}
			free = time.Now().Add(50 * time.Second / rate)
			return nil
		})
		to := recipients("to", 300)
		if r := s.send(t, s.mail(object{"recipients": to})); r.Outcome != "success" {
			t.Errorf("answer %+v", r)
		}
		s.mustReachOnce(t, to)
	})
}

// atOnce counts how many calls are under way at the same time.
type atOnce struct{ now, most atomic.Int64 }

// meet is a call, which takes long enough that all that may be under way are.
func (a *atOnce) meet() {
	now := a.now.Add(1)
	defer a.now.Add(-1)
	// A maximum without a lock: it is tried again when another call has changed it.
	for most := a.most.Load(); now > most && !a.most.CompareAndSwap(most, now); most = a.most.Load() {
	}
	time.Sleep(200 * time.Millisecond)
}

// TestSESIsAskedForFewGroupsAtOnce: at most four calls run in parallel, because the rate of an account is small.
func TestSESIsAskedForFewGroupsAtOnce(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		var calls atOnce
		s.inject(func(c awsproxy.Call) *awsproxy.Fault {
			if c.Service != "ses" {
				return nil
			}
			calls.meet()
			return nil
		})
		to := recipients("to", 1000)
		if r := s.send(t, s.mail(object{"recipients": to})); r.Outcome != "success" {
			t.Errorf("answer %+v", r)
		}
		s.mustReachOnce(t, to)
		expect.Equal(t, calls.most.Load(), 4, "groups at once")
	})
}

// TestARetryThatFailsHidesNothing: a retry that fails by a download or the quota still says how many recipients have
// the mail from the first request.
func TestARetryThatFailsHidesNothing(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		key, text := s.NewMailKey(t, mailkey.Key{
			Name: "few", Sender: mail.Address{Address: "few@example.com"}, Daily: 120,
		})
		s.inject(forAddress("to60@example.org", 1000, awsproxy.Throttled))
		var gone atomic.Bool
		files := localtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			// The server works for the first request and breaks the connection of the second one.
			if gone.Load() {
				panic(http.ErrAbortHandler)
			}
			_, _ = w.Write([]byte("file"))
		}))
		m := s.mail(object{"key": text, "recipients": recipients("to", 120), "attachments": attachment(files.URL, nil)})
		first := s.sendOnce(t, "k", m)
		const partly = "the mail reached 70 of 120 recipients; it was not sent to 50: "
		if first.Error != partly+"SES is asked too often at the moment" {
			t.Fatalf("first answer %+v", first)
		}
		gone.Store(true)
		s.inject(nil)
		r := s.sendOnce(t, "k", m)
		expect.HasPrefix(t, r.Error, partly+"attachments[0].url could not be downloaded", "a download fails")
		expect.Equal(t, r.IDs, first.IDs, "a download fails")
		// 70 of the first request are counted. With 100 a day, 30 are left for the 50 that still wait.
		if err := s.keys.SetDaily(t.Context(), key.ID, 100); err != nil {
			t.Fatal(err)
		}
		r = s.sendOnce(t, "k", m)
		const quota = "the key's quota of 100 recipients a day (UTC) has fewer than 50 left"
		expect.Equal(t, refusedByQuota(r), true, "the quota is used up")
		expect.Equal(t, r.Error, partly+quota, "the quota is used up")
		if n := s.sentMails(); n != 2 {
			t.Errorf("%d mails", n)
		}
	})
}
