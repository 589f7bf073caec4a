package mail_test

import (
	"net/http"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/local"
	"frontdesk/internal/mail/mailkey"
)

// limited gives the desk a key for a number of recipients a day.
func (d *desk) limited(t *testing.T, daily int) {
	t.Helper()
	_, d.key = d.newKey(t, mailkey.Key{Name: "limited", Sender: mail.Address{Address: "sender@example.com"}, Daily: daily})
}

// spared reports a mail that a quota refused, as it should be answered.
func spared(r reply) bool {
	seconds, err := strconv.Atoi(r.retryAfter)
	untilMidnight := time.Until(time.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour))
	return r.HTTP == http.StatusTooManyRequests && r.Status == "error" && err == nil && seconds > 0 &&
		(time.Duration(seconds)*time.Second-untilMidnight).Abs() < 10*time.Second
}

func TestADailyQuotaCountsRecipients(t *testing.T) {
	d := open(t)
	d.limited(t, 100)
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
		sent, fetched := d.sentMails(), d.files.count()
		r := d.send(t, d.mail(object{"recipients": audience("to", step.recipients), "attachments": attachment(d.files.URL+"/hello.txt", nil)}))
		if step.want == "" {
			if r.Status != "success" || !slices.Equal(slices.Compact(d.calls(r)), []string{"BatchGetItem", "TransactWriteItems", "SendEmail"}) {
				t.Errorf("%s: %+v", step.name, r)
			}
			continue
		}
		if !spared(r) || !strings.Contains(r.Error, step.want) || !strings.HasPrefix(r.Error, "the mail was not sent: ") {
			t.Errorf("%s: %+v", step.name, r)
		}
		if d.sentMails() != sent || d.files.count() != fetched {
			t.Errorf("%s: %d mails, %d files were fetched", step.name, d.sentMails()-sent, d.files.count()-fetched)
		}
	}
}

// TestAMailThatNoDayHasRoomFor is told so: the next day has no more.
func TestAMailThatNoDayHasRoomFor(t *testing.T) {
	d := open(t)
	d.limited(t, 100)
	const want = "the mail was not sent: the key's quota is 100 recipients a day (UTC), and it needs 101"
	mail := d.mail(object{"recipients": audience("to", 101)})
	if r := d.send(t, mail); !spared(r) || r.Error != want {
		t.Errorf("answer %+v", r)
	}
}

// TestAQuotaIsCountedAtomically: together, mails never pass it, and none is refused that fits.
func TestAQuotaIsCountedAtomically(t *testing.T) {
	d := open(t)
	d.limited(t, 30)
	var sent, refused atomic.Int64
	var wait sync.WaitGroup
	for range 40 {
		wait.Go(func() {
			switch r := d.send(t, d.mail(nil)); {
			case r.Status == "success":
				sent.Add(1)
			case spared(r):
				refused.Add(1)
			default:
				t.Errorf("answer %+v", r)
			}
		})
	}
	wait.Wait()
	if sent.Load() != 30 || refused.Load() != 10 || d.sentMails() != 30 {
		t.Errorf("%d sent, %d refused, %d mails; want 30, 10, 30", sent.Load(), refused.Load(), d.sentMails())
	}
}

// TestWhatIsNotSentIsNotCounted: the quota is for mails that were, or may have been, sent.
func TestWhatIsNotSentIsNotCounted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change object
		fault  func(local.Call) *local.Fault
		status int
		left   int // of 10
	}{
		"against a rule":              {object{"subject": "a\nb"}, nil, 200, 10},
		"a download that fails":       {object{"attachments": attachment("http://127.0.0.1:1/x", nil)}, nil, 200, 10},
		"SES throttles to the end":    {nil, ses(local.Throttled), 200, 10},
		"the refund's answer is lost": {object{"attachments": attachment("http://127.0.0.1:1/x", nil)}, nth(2, "TransactWriteItems", local.CutAfter), 200, 10},
		"the count's answer is lost":  {nil, nth(1, "TransactWriteItems", local.CutAfter), 200, 8},
		"SES's answer is lost":        {nil, ses(local.CutAfter), 200, 8},
		"counting fails":              {nil, action("TransactWriteItems", local.ServerError), 500, 10},
		"it is sent":                  {nil, nil, 200, 8},
		"the answer is never written": {nil, after(1, "PutItem", local.ServerError), 200, 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, shortLived(t))
			d.limited(t, 10)
			d.stack.Gate().Inject(c.fault)
			if r := d.once(t, "k", with(d.mail(object{"recipients": audience("to", 2)}), c.change)); r.HTTP != c.status {
				t.Errorf("answer %+v", r)
			}
			d.stack.Gate().Inject(nil)
			if r := d.send(t, d.mail(object{"recipients": audience("to", c.left+1)})); !spared(r) {
				t.Errorf("to one more than is left: %+v", r)
			}
			if r := d.send(t, d.mail(object{"recipients": audience("to", c.left)})); r.Status != "success" {
				t.Errorf("to all that are left: %+v", r)
			}
			if r := d.send(t, d.mail(nil)); !spared(r) {
				t.Errorf("to one more: %+v", r)
			}
		})
	}
}

// TestAQuotaUnderAnIdempotencyKey: a mail that is given again costs nothing, and one that the quota refused may
// be sent when there is one again.
func TestAQuotaUnderAnIdempotencyKey(t *testing.T) {
	d := open(t)
	d.limited(t, 1)
	first := d.once(t, "first", d.mail(nil))
	if again := d.once(t, "first", d.mail(nil)); first.Status != "success" || again.replayed != "true" {
		t.Errorf("first %+v, again %+v", first, again)
	}
	for range 2 {
		if r := d.once(t, "second", d.mail(nil)); !spared(r) || r.replayed != "" {
			t.Errorf("second: %+v", r)
		}
	}
	if n := d.sentMails(); n != 1 {
		t.Errorf("%d mails", n)
	}
}

// TestAMailIsCountedOnceWhoeverDies: who goes on with it finds it counted.
func TestAMailIsCountedOnceWhoeverDies(t *testing.T) {
	t.Parallel()
	d := open(t, shortLived(t))
	d.limited(t, 10)
	d.stack.Gate().Inject(nth(1, "TransactWriteItems", local.KillAfter))
	m := d.mail(object{"recipients": audience("to", 6)})
	if killed := d.once(t, "k", m); killed.HTTP != http.StatusInternalServerError {
		t.Fatalf("answer %+v", killed)
	}
	if r, _ := d.insist(t, "k", m); r.Status != "success" || d.sentMails() != 1 {
		t.Errorf("answer %+v, %d mails", r, d.sentMails())
	}
	if r := d.send(t, d.mail(object{"recipients": audience("to", 4)})); r.Status != "success" {
		t.Errorf("to all that are left: %+v", r)
	}
	if r := d.send(t, d.mail(nil)); !spared(r) {
		t.Errorf("to one more: %+v", r)
	}
}
