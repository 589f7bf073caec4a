package mail_test

import (
	"math"
	"net/http"
	"net/mail"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"
)

// useLimitedKey gives the stack's mails a new mail key with a daily quota of recipients.
func (s *stack) useLimitedKey(t testing.TB, daily int) {
	t.Helper()
	key := mailkey.Key{Name: "limited", Sender: mail.Address{Address: "sender@example.com"}, Daily: daily}
	key, s.key = s.NewMailKey(t, key)
	s.id = key.ID
}

// counted returns the number of recipients that the quota of the stack's key has counted today.
func (s *stack) counted(t testing.TB) int {
	t.Helper()
	_, n, err := s.keys.Used(t.Context(), s.id, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// refusedByQuota reports whether an answer is the one of a quota: 429, with a Retry-After that ends at midnight in UTC.
func refusedByQuota(r answer) bool {
	seconds, err := strconv.Atoi(r.retryAfter())
	untilMidnight := time.Until(time.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour))
	return r.Status == http.StatusTooManyRequests && r.Outcome == "error" && err == nil && seconds > 0 &&
		(time.Duration(seconds)*time.Second-untilMidnight).Abs() < 10*time.Second
}

// TestADailyQuotaCountsRecipients: a mail to more recipients than are left is refused as a whole, before anything is
// fetched, and smaller mails still use the rest.
func TestADailyQuotaCountsRecipients(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s.useLimitedKey(t, 100)
		for _, step := range []struct {
			name       string
			recipients int
			want       string // error, "" for success
		}{
			{"some of it", 60, ""},
			{"more than is left", 41, "the key's quota of 100 recipients a day (UTC) has fewer than 41 left"},
			{"the rest", 40, ""},
			{"one more", 1, "has fewer than 1 left"},
		} {
			sent, fetched := s.sentMails(), s.files.count()
			r := s.send(t, s.mail(object{
				"recipients":  recipients("to", step.recipients),
				"attachments": attachment(s.files.URL+"/hello.txt", nil),
			}))
			if step.want == "" {
				want := []string{"BatchGetItem", "UpdateItem", "SendEmail"}
				r.Is(t, http.StatusOK, object{"status": "success"})
				expect.Equal(t, slices.Compact(s.Actions(r.Answer)), want, step.name)
				continue
			}
			expect.Equal(t, refusedByQuota(r), true, step.name)
			expect.Contains(t, r.Error, step.want, step.name)
			expect.HasPrefix(t, r.Error, "the mail was not sent: ", step.name)
			expect.Equal(t, s.sentMails(), sent, step.name)
			expect.Equal(t, s.files.count(), fetched, step.name)
		}
	})
}

// TestAMailThatNoDayHasRoomFor: the error says that the whole quota is too small, because waiting for the next day does
// not help.
func TestAMailThatNoDayHasRoomFor(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s.useLimitedKey(t, 100)
		const want = "the mail was not sent: the key's quota is 100 recipients a day (UTC), and it needs 101"
		mail := s.mail(object{"recipients": recipients("to", 101)})
		r := s.send(t, mail)
		expect.Equal(t, refusedByQuota(r), true)
		expect.Equal(t, r.Error, want)
	})
}

// TestAQuotaIsCountedAtomically: mails sent at once never exceed the quota together, and none that fits is refused.
func TestAQuotaIsCountedAtomically(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s.useLimitedKey(t, 10)
		var sent, refused atomic.Int64
		var wait sync.WaitGroup
		for range 14 {
			wait.Go(func() {
				switch r := s.send(t, s.mail(nil)); {
				case r.Outcome == "success":
					sent.Add(1)
				case refusedByQuota(r):
					refused.Add(1)
				default:
					t.Errorf("answer %+v", r)
				}
			})
		}
		wait.Wait()
		expect.Equal(t, sent.Load(), 10)
		expect.Equal(t, refused.Load(), 4)
		expect.Equal(t, s.sentMails(), 10)
	})
}

// TestAQuotaThatManyUseAtOnce: 12 clients count on one item, and none gets 409. A transaction that takes recipients
// back holds the item for 10 ms, and DynamoDB answers other writes with a conflict meanwhile.
func TestAQuotaThatManyUseAtOnce(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s.useLimitedKey(t, 1000)
		var held atomic.Int64 // until when, in ms since 1970
		refused := forAddress("refused@example.org", math.MaxInt64, awsproxy.Refuse(400, "BadRequestException", "Bad"))
		s.inject(func(c awsproxy.Call) *awsproxy.Fault {
			now := time.Now().UnixMilli()
			until := held.Load()
			switch {
			case c.Action == "UpdateItem" && now < until:
				return awsproxy.Conflict
			case c.Action != "TransactWriteItems":
				return refused(c)
			case now < until || !held.CompareAndSwap(until, now+10):
				return awsproxy.Conflict
			}
			return nil
		})
		sent := fixture.Together(12, func(i int) (sent int) {
			m, to := s.mail(nil), 1
			// A quarter of the mails is refused by SES. Their recipients are given back, by a transaction.
			if i%4 == 0 {
				m["recipients"], to = array{object{"email": "refused@example.org"}}, 0
			}
			with, without := s.sendOnce(t, strconv.Itoa(i), m), s.send(t, m)
			for _, r := range []answer{with, without} {
				r.Is(t, http.StatusOK, nil)
				expect.Equal(t, r.Outcome == "success", to == 1)
			}
			return 2 * to
		})
		want := 0
		for _, n := range sent {
			want += n
		}
		if n := s.counted(t); n != want || s.sentMails() != want {
			t.Errorf("%d are counted, and %d sent, want %d", n, s.sentMails(), want)
		}
	})
}

// TestWhatIsNotSentIsNotCounted: the quota counts mails that were sent, or may have been. Recipients of other mails are
// taken back.
func TestWhatIsNotSentIsNotCounted(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			change object
			fault  func(awsproxy.Call) *awsproxy.Fault
			status int
			left   int // of 10
		}{
			"against a rule": {change: object{"subject": "a\nb"}, status: 200, left: 10},
			"a download that fails": {
				change: object{"attachments": attachment("http://127.0.0.1:1/x", nil)}, status: 200, left: 10,
			},
			"SES throttles to the end": {fault: ses(awsproxy.Throttled), status: 200, left: 10},
			// A refund that is repeated must not give back twice.
			"the refund's answer is lost": {
				change: object{"attachments": attachment("http://127.0.0.1:1/x", nil)},
				fault:  nth(1, "TransactWriteItems", awsproxy.CutAfter), status: 200, left: 10,
			},
			"the count's answer is lost": {
				fault: nth(1, "UpdateItem", awsproxy.CutAfter), status: 200, left: 8,
			},
			// The mail may have been sent, so it stays counted.
			"SES's answer is lost": {fault: ses(awsproxy.CutAfter), status: 200, left: 8},
			"counting fails": {
				fault: action("UpdateItem", awsproxy.ServerError), status: 503, left: 10,
			},
			"counting is throttled to the end": {
				fault: action("UpdateItem", awsproxy.Throttled), status: 503, left: 10,
			},
			"counting meets others to the end": {
				fault: action("UpdateItem", awsproxy.Conflict), status: 409, left: 10,
			},
			"all writes are throttled to the end": {fault: writes(awsproxy.Throttled), status: 503, left: 10},
			"it is sent":                          {status: 200, left: 8},
			// SES has the mail, and only the answer is missing.
			"the answer is never written": {
				fault: after(1, "PutItem", awsproxy.ServerError), status: 503, left: 8,
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t)
				s.useLimitedKey(t, 10)
				s.inject(c.fault)
				m := fixture.With(s.mail(object{"recipients": recipients("to", 2)}), c.change)
				r := s.sendOnce(t, "k", m)
				r.Is(t, c.status, nil)
				expect.Equal(t, r.Status == 200, r.retryAfter() == "")
				s.inject(nil)
				// The quota itself says how many are left: one more is refused, all of them pass, and then nothing
				// does.
				if r := s.send(t, s.mail(object{"recipients": recipients("to", c.left+1)})); !refusedByQuota(r) {
					t.Errorf("to one more than is left: %+v", r)
				}
				if r := s.send(t, s.mail(object{"recipients": recipients("to", c.left)})); r.Outcome != "success" {
					t.Errorf("to all that are left: %+v", r)
				}
				if r := s.send(t, s.mail(nil)); !refusedByQuota(r) {
					t.Errorf("to one more: %+v", r)
				}
			})
		}
	})
}

// TestAQuotaUnderAnIdempotencyKey: a replayed answer counts nobody. The answer of a quota is not stored, so that the
// same request can succeed on another day.
func TestAQuotaUnderAnIdempotencyKey(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s.useLimitedKey(t, 1)
		first := s.sendOnce(t, "first", s.mail(nil))
		again := s.sendOnce(t, "first", s.mail(nil))
		first.Is(t, http.StatusOK, object{"status": "success"})
		expect.Equal(t, again.replayed(), "true")
		for range 2 {
			r := s.sendOnce(t, "second", s.mail(nil))
			expect.Equal(t, refusedByQuota(r), true, "second")
			expect.Equal(t, r.replayed(), "", "second")
		}
		if n := s.sentMails(); n != 1 {
			t.Errorf("%d mails", n)
		}
	})
}

// TestAMailIsCountedOnceWhoeverDies: the process dies after it has counted the mail. The request that goes on with the
// mail does not count it again.
func TestAMailIsCountedOnceWhoeverDies(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s.useLimitedKey(t, 10)
		s.inject(nth(1, "UpdateItem", awsproxy.KillAfter))
		m := s.mail(object{"recipients": recipients("to", 6), "attachments": attachment(s.files.URL+"/hello.txt", nil)})
		if killed := s.sendOnce(t, "k", m); killed.Status != http.StatusInternalServerError {
			t.Fatalf("answer %+v", killed)
		}
		r, _ := s.sendUntilFinal(t, "k", m)
		r.Is(t, http.StatusOK, object{"status": "success"})
		expect.Equal(t, s.sentMails(), 1)
		if r := s.send(t, s.mail(object{"recipients": recipients("to", 4)})); r.Outcome != "success" {
			t.Errorf("to all that are left: %+v", r)
		}
		if r := s.send(t, s.mail(nil)); !refusedByQuota(r) {
			t.Errorf("to one more: %+v", r)
		}
	})
}
