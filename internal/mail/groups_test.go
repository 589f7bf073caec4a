package mail_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/local"
	"frontdesk/internal/mail/mailkey"
)

// audience is n recipients of a mail, by the name that is before their numbers.
func audience(name string, n int) array {
	list := make(array, n)
	for i := range list {
		list[i] = object{"email": fmt.Sprintf("%s%d@example.org", name, i), "name": fmt.Sprintf("%s Nr. %d", name, i)}
	}
	return list
}

// received is every address that SES has sent to, as often as it has.
func (d *desk) received(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, m := range d.stack.Outbox().Mails() {
		if len(m.To) > 50 {
			t.Errorf("SES was asked for %d recipients at once", len(m.To))
		}
		all = append(all, m.To...)
	}
	return all
}

// each fails the test unless SES has sent once to every address of the lists.
func (d *desk) each(t *testing.T, lists ...array) {
	t.Helper()
	var want []string
	for _, list := range lists {
		for _, r := range list {
			want = append(want, r.(object)["email"].(string))
		}
	}
	got := d.received(t)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("sent to %d addresses, want each of %d once:\n%.2000q", len(got), len(want), got)
	}
}

func TestAMailForManyIsSentInGroups(t *testing.T) {
	d := open(t)
	to, cc, bcc := audience("to", 60), audience("cc", 30), audience("bcc", 31)
	r := d.send(t, d.mail(object{"recipients": to, "ccs": cc, "bccs": bcc, "subject": "All of you"}))
	if r.Status != "success" || len(r.IDs) != 3 || r.ID != r.IDs[0] {
		t.Fatalf("answer %+v", r)
	}
	d.each(t, to, cc, bcc)
	for i, id := range r.IDs {
		m := d.captured(t, id)
		if want := []int{50, 50, 21}[i]; len(m.to) != want {
			t.Errorf("group %d has %d recipients, want %d", i, len(m.to), want)
		}
		for field, want := range map[string]array{"To": to, "Cc": cc} {
			list, err := m.header.AddressList(field)
			if err != nil || len(list) != len(want) || list[len(list)-1].Address != want[len(want)-1].(object)["email"] {
				t.Errorf("group %d: %s has %d addresses, %v; want %d", i, field, len(list), err, len(want))
			}
		}
		if strings.Contains(string(m.raw), "bcc0@") || m.header.Has("Bcc") {
			t.Errorf("group %d tells of Bcc", i)
		}
	}
	if got := d.calls(r); !slices.Equal(got, []string{"BatchGetItem", "SendEmail", "SendEmail", "SendEmail"}) {
		t.Errorf("round trips %q", got)
	}
}

func TestHowManyAMailCanHave(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ to, cc, bcc, groups int }{
		"50 are one group": {50, 0, 0, 1},
		"51 are two":       {50, 0, 1, 2},
		"1,000, among them a group without any To": {1, 500, 499, 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			to, cc, bcc := audience("to", c.to), audience("cc", c.cc), audience("bcc", c.bcc)
			r := d.send(t, d.mail(object{"recipients": to, "ccs": cc, "bccs": bcc}))
			if r.Status != "success" || d.sentMails() != c.groups || (len(r.IDs) == c.groups) != (c.groups > 1) {
				t.Errorf("%d mails, answer %+v", d.sentMails(), r)
			}
			d.each(t, to, cc, bcc)
		})
	}
}

func TestWhoIsNamedTwiceGetsTheMailOnce(t *testing.T) {
	d := open(t)
	to := audience("to", 60)
	twice := array{object{"email": "to0@EXAMPLE.org"}, object{"email": "to59@example.org"}}
	if r := d.send(t, d.mail(object{"recipients": to, "ccs": twice, "bccs": twice})); r.Status != "success" || len(r.IDs) != 2 {
		t.Errorf("answer %+v", r)
	}
	d.each(t, to)
}

// forAddress is a fault of SES's calls for the group that has an address, the first n times.
func forAddress(address string, n int64, f *local.Fault) func(local.Call) *local.Fault {
	var calls atomic.Int64
	return func(c local.Call) *local.Fault {
		if c.Service != "ses" {
			return nil
		}
		var in struct {
			Destination struct{ ToAddresses []string }
		}
		if json.Unmarshal(c.Body, &in) == nil && slices.Contains(in.Destination.ToAddresses, address) && calls.Add(1) <= n {
			return f
		}
		return nil
	}
}

// TestAGroupThatFails: the error says how many have the mail, and a retry sends it to those who certainly
// have not.
func TestAGroupThatFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault     func() func(local.Call) *local.Fault
		want      string
		sent      int // groups, the first time
		then      string
		recipient int // who has it in the end
	}{
		"throttled to the end": {
			func() func(local.Call) *local.Fault { return forAddress("to60@example.org", 1000, local.Throttled) },
			"the mail reached 70 of 120 recipients; it was not sent to 50: SES is asked too often at the moment", 2, "", 120,
		},
		"its answer is lost": {
			func() func(local.Call) *local.Fault { return forAddress("to110@example.org", 1, local.CutBefore) },
			"the mail reached 100 of 120 recipients; it may or may not have been sent to 20: the connection to SES was lost", 2,
			"the mail reached 100 of 120 recipients; it may or may not have been sent to 20: the connection to SES was lost", 100,
		},
		"one throttled, one lost": {
			func() func(local.Call) *local.Fault {
				throttled, cut := forAddress("to0@example.org", 1000, local.Throttled), forAddress("to60@example.org", 1, local.CutBefore)
				return func(c local.Call) *local.Fault {
					if f := throttled(c); f != nil {
						return f
					}
					return cut(c)
				}
			},
			"the mail reached 20 of 120 recipients; it was not sent to 50: SES is asked too often at the moment; it may or may not have been sent to 50: the connection to SES was lost", 1,
			"the mail reached 70 of 120 recipients; it may or may not have been sent to 50: the request that sent it ended before SES had answered", 70,
		},
		"all of them throttled": {
			func() func(local.Call) *local.Fault { return ses(local.Throttled) },
			"the mail was not sent: SES is asked too often at the moment", 0, "", 120,
		},
		"all of them lost": {
			func() func(local.Call) *local.Fault { return ses(local.CutBefore) },
			lost, 0, lost, 0,
		},
		"none": {func() func(local.Call) *local.Fault { return nil }, "", 3, "", 120},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t, shortLived(t))
			d.stack.Gate().Inject(c.fault())
			to := audience("to", 120)
			m := d.mail(object{"recipients": to})
			r := d.once(t, "k", m)
			if r.HTTP != http.StatusOK || r.Error != c.want || len(r.IDs) != c.sent || d.sentMails() != c.sent {
				t.Fatalf("answer %+v, %d mails; want %d, error %q", r, d.sentMails(), c.sent, c.want)
			}
			d.stack.Gate().Inject(nil)
			last := d.once(t, "k", m)
			if last.Error != c.then || (last.Status == "success") != (c.then == "") {
				t.Errorf("the retry: %+v, want error %q", last, c.then)
			}
			if final := c.want == c.then; final != (last.replayed == "true") {
				t.Errorf("the retry: %+v", last)
			}
			if got := d.received(t); len(got) != c.recipient || len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(got) {
				t.Errorf("sent to %d, want %d, each once", len(got), c.recipient)
			}
			if again := d.once(t, "k", m); again.replayed != "true" || again.Error != c.then {
				t.Errorf("and again: %+v", again)
			}
		})
	}
}

// TestKilledAmongTheGroups: the next request sends to the groups that were never begun, and says of the others
// what it knows.
func TestKilledAmongTheGroups(t *testing.T) {
	t.Parallel()
	d := open(t, shortLived(t))
	d.stack.Gate().Inject(nth(8, "SendEmail", local.KillAfter))
	to := audience("to", 1000)
	m := d.mail(object{"recipients": to})
	if killed := d.once(t, "k", m); killed.HTTP != http.StatusInternalServerError {
		t.Fatalf("answer %+v", killed)
	}
	before := len(d.received(t))
	r, _ := d.insist(t, "k", m)
	var reached, of, unclear int
	if _, err := fmt.Sscanf(r.Error, "the mail reached %d of %d recipients; it may or may not have been sent to %d: the request", &reached, &of, &unclear); err != nil {
		t.Fatalf("answer %+v: %v", r, err)
	}
	if before < 400 || before >= 1000 || of != 1000 || reached+unclear != 1000 || unclear < 50 || unclear > 400 || reached != 50*len(r.IDs) {
		t.Errorf("%d were sent to when the process was killed; then: %s", before, r.Error)
	}
	got := d.received(t)
	if len(got) < reached || len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(got) {
		t.Errorf("sent to %d, %d of them known: want each at most once", len(got), reached)
	}
	if again := d.once(t, "k", m); again.replayed != "true" || again.Error != r.Error {
		t.Errorf("again: %+v", again)
	}
}

// TestARateOfRecipientsIsWaitedFor: SES lets a call through, and refuses the next ones until its rate has caught up
// with the recipients of the first.
func TestARateOfRecipientsIsWaitedFor(t *testing.T) {
	t.Parallel()
	const rate = 50 // recipients a second
	d := open(t)
	var mu sync.Mutex
	var free time.Time
	d.stack.Gate().Inject(func(c local.Call) *local.Fault {
		if c.Service != "ses" {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		if time.Now().Before(free) {
			return local.Throttled
		}
		free = time.Now().Add(50 * time.Second / rate)
		return nil
	})
	to := audience("to", 300)
	if r := d.send(t, d.mail(object{"recipients": to})); r.Status != "success" {
		t.Errorf("answer %+v", r)
	}
	d.each(t, to)
}

// TestSESIsAskedForFewGroupsAtOnce: an account has a number of recipients a second, and a small one.
func TestSESIsAskedForFewGroupsAtOnce(t *testing.T) {
	d := open(t)
	var now, most atomic.Int64
	d.stack.Gate().Inject(func(c local.Call) *local.Fault {
		if c.Service != "ses" {
			return nil
		}
		n := now.Add(1)
		for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
		}
		time.Sleep(20 * time.Millisecond)
		now.Add(-1)
		return nil
	})
	to := audience("to", 1000)
	if r := d.send(t, d.mail(object{"recipients": to})); r.Status != "success" {
		t.Errorf("answer %+v", r)
	}
	d.each(t, to)
	if n := most.Load(); n < 2 || n > 4 {
		t.Errorf("%d groups at once, want up to 4", n)
	}
}

// TestARetryThatFailsHidesNothing: its error says who has the mail already.
func TestARetryThatFailsHidesNothing(t *testing.T) {
	t.Parallel()
	d := open(t, shortLived(t))
	key, text := d.newKey(t, mailkey.Key{Name: "few", Sender: mail.Address{Address: "few@example.com"}, Daily: 120})
	d.stack.Gate().Inject(forAddress("to60@example.org", 1000, local.Throttled))
	gone := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("file")) }))
	m := d.mail(object{"key": text, "recipients": audience("to", 120), "attachments": attachment(gone.URL, nil)})
	first := d.once(t, "k", m)
	if first.Error != "the mail reached 70 of 120 recipients; it was not sent to 50: SES is asked too often at the moment" {
		t.Fatalf("first answer %+v", first)
	}
	gone.Close()
	d.stack.Gate().Inject(nil)
	r := d.once(t, "k", m)
	if !strings.HasPrefix(r.Error, "the mail reached 70 of 120 recipients; it was not sent to 50: attachments[0].url could not be downloaded") || !slices.Equal(r.IDs, first.IDs) {
		t.Errorf("a download fails: %+v", r)
	}
	if _, err := d.keys.SetDaily(t.Context(), key.ID, 100); err != nil {
		t.Fatal(err)
	}
	r = d.once(t, "k", m)
	if !spared(r) || r.Error != "the mail reached 70 of 120 recipients; it was not sent to 50: the key's quota of 100 recipients a day (UTC) has fewer than 50 left" {
		t.Errorf("the quota is used up: %+v", r)
	}
	if n := d.sentMails(); n != 2 {
		t.Errorf("%d mails", n)
	}
}
