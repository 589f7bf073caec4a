package maillog_test

import (
	"bytes"
	"context"
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/develop/local/eventbridge"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/mail/redirect"
)

// send sends a mail through the API, and gives its id.
func (s *stack) send(t testing.TB, to ...string) string {
	t.Helper()
	recipients := array{}
	for _, address := range to {
		recipients = append(recipients, object{"email": address})
	}
	a := s.Call(t, fixture.To("sendMail"), nil, object{
		"key": s.key, "subject": "Your ticket", "text": "Hello", "recipients": recipients,
	})
	id, _ := a.Body["id"].(string)
	if a.Status != http.StatusOK || id == "" {
		t.Fatal(errorf(a))
	}
	return id
}

// settle waits until the functions have had all events.
func (s *stack) settle(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := s.Lambda().Settle(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestMailboxSimulator sends a mail to each address of SES's simulator and one to all of them, and looks them up
// through the API.
// https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html#send-email-simulator
func TestMailboxSimulator(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		var all, statuses []string
		for name, want := range map[string]string{
			"success": "delivered", "success+label": "delivered", "bounce": "bounced", "bounce+label": "bounced",
			"complaint": "complained", "ooto": "delivered", "suppressionlist": "suppressed",
		} {
			localtest.Case(t, name, func(t testing.TB) {
				to := name + "@simulator.amazonses.com"
				id := s.send(t, to)
				s.settle(t)
				a, m := s.show(t, s.key, id)
				if a.Status != http.StatusOK || m.statuses() != want+": "+to+"="+want {
					t.Errorf("%s, want %s", errorf(a), want)
				}
				if !strings.Contains(name, "+") {
					all, statuses = append(all, to), append(statuses, to+"="+want)
				}
			})
		}
		id := s.send(t, all...)
		s.settle(t)
		if a, m := s.show(t, s.key, id); m.statuses() != "complained: "+strings.Join(statuses, " ") {
			t.Errorf("a mail to five: %s", errorf(a))
		}
		_, p := s.list(t, s.key, "")
		expect.Len(t, p.Payload, 8)
		expect.Equal(t, p.Payload[0].ID, id)
		expect.Equal(t, len(p.Payload[0].Recipients), 5)
		if letters := s.Lambda().DeadLetters(); len(letters) != 0 {
			t.Errorf("not recorded are %+v", letters)
		}
		s.MustBeWhole(t)
	})
}

// TestInvalidAddresses have the outcomes that SES's simulator has not, so that each status of the log can be seen.
func TestInvalidAddresses(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const bystander, unreached = "ada@example.org", "smtp; 421 4.4.1 Unable to connect to remote host"
		for name, c := range map[string]struct{ to, want, detail string }{
			"delayed":                    {"delay@people.invalid", "delayed", unreached},
			"delayed, with a label":      {"Delay+1@people.invalid", "delayed", unreached},
			"rejected":                   {"reject@people.invalid", "rejected", "Bad content"},
			"bounced":                    {"anybody@people.invalid", "bounced", "smtp; 550 5.1.1 user unknown"},
			"no name of the simulator's": {"delay@simulator.amazonses.com", "delivered", "250 2.6.0 Message received"},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				id := s.send(t, c.to, bystander)
				s.settle(t)
				a, m := s.show(t, s.key, id)
				other := "delivered"
				if c.want == "rejected" { // SES rejects a mail as a whole
					other = c.want
				}
				if m.statuses() != c.want+": "+c.to+"="+c.want+" "+bystander+"="+other {
					t.Errorf("%s, want %s", errorf(a), c.want)
				}
				expect.Contains(t, a.Raw, c.detail, "what it shows")
				if _, p := s.list(t, s.key, "?status="+c.want); len(p.Payload) == 0 || p.Payload[0].ID != id {
					t.Errorf("the list of %s has %+v", c.want, p.Payload)
				}
			})
		}
		s.MustBeWhole(t)
	})
}

// TestEventsHeldBackByTheBus: what a mail looks like while its events are under way, come backwards, and come again.
func TestEventsHeldBackByTheBus(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		var mu sync.Mutex
		var held []eventbridge.Event
		s.Events().Replace(func(e eventbridge.Event) []eventbridge.Event {
			mu.Lock()
			defer mu.Unlock()
			held = append(held, e)
			return nil
		})
		id := s.send(t, "complaint@simulator.amazonses.com")
		s.settle(t)
		if a, _ := s.show(t, s.key, id); a.Status != http.StatusNotFound {
			t.Errorf("before its first event: %s", errorf(a))
		}
		s.Events().Replace(nil)
		slices.Reverse(held)
		for _, e := range slices.Concat(held, held) {
			s.Events().Put(e)
			s.settle(t)
			if a, m := s.show(t, s.key, id); m.Status != "complained" {
				t.Errorf("after %s: %s", e.DetailType, errorf(a))
			}
		}
		if a, m := s.show(t, s.key, id); len(m.Events) != 3 {
			t.Errorf("in the end: %s", errorf(a))
		}
	})
}

// TestEventsOfOtherStacks: another stack of the account may share the configuration set, and another account may hand
// its events on to this one's bus.
func TestEventsOfOtherStacks(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			change func(*eventbridge.Event)
			status int
		}{
			"this stack's": {func(*eventbridge.Event) {}, http.StatusOK},
			"another stack's": {func(e *eventbridge.Event) {
				tag := []byte(`"frontdesk-stack":["`)
				e.Detail = bytes.ReplaceAll(e.Detail, tag, append(tag, "other-"...))
			}, http.StatusNotFound},
			"of a mail without a stack": {func(e *eventbridge.Event) {
				e.Detail = bytes.ReplaceAll(e.Detail, []byte("frontdesk-stack"), []byte("campaign"))
			}, http.StatusNotFound},
			"another account's": {func(e *eventbridge.Event) { e.Account = "999999999999" }, http.StatusNotFound},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t)
				s.Events().Replace(func(e eventbridge.Event) []eventbridge.Event {
					c.change(&e)
					return []eventbridge.Event{e}
				})
				id := s.send(t, "ada@example.org")
				s.settle(t)
				if a, _ := s.show(t, s.key, id); a.Status != c.status {
					t.Errorf("want %d: %s", c.status, errorf(a))
				}
			})
		}
	})
}

// TestTheLogSaysWhatBecameOfARedirectedMail: the log shows the copy, by the addresses that it was sent to.
func TestTheLogSaysWhatBecameOfARedirectedMail(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const bounce, success = "bounce@simulator.amazonses.com", "success@simulator.amazonses.com"
		_, s.key = s.NewMailKey(t, mailkey.Key{
			Name: "tests", From: []string{"example.com"}, Sender: mail.Address{Address: "sender@example.com"},
			Redirect: redirect.Rule{To: bounce, Allow: []string{"simulator.amazonses.com"}},
		})
		for name, c := range map[string]struct {
			to         []string
			redirected bool
			subject    string
			statuses   string
		}{
			"redirected": {
				to: []string{"ada@example.org"}, redirected: true, subject: "[ada@example.org] Your ticket",
				statuses: "bounced: " + bounce + "=bounced",
			},
			"in part": {
				to: []string{success, "max@example.org"}, redirected: true, subject: "[max@example.org] Your ticket",
				statuses: "bounced: " + success + "=delivered " + bounce + "=bounced",
			},
			"let through": {
				to: []string{success}, subject: "Your ticket", statuses: "delivered: " + success + "=delivered",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				id := s.send(t, c.to...)
				s.settle(t)
				_, m := s.show(t, s.key, id)
				expect.Equal(t, m.statuses(), c.statuses)
				expect.Equal(t, m.Redirected, c.redirected)
				expect.Equal(t, m.Subject, c.subject)
				_, p := s.list(t, s.key, "?limit=1")
				expect.Equal(t, p.Payload[0].ID, id, "the last of the list")
				expect.Equal(t, p.Payload[0].Redirected, c.redirected, "redirected in the list")
			})
		}
		_, p := s.list(t, s.key, "?recipient=ada@example.org")
		expect.Len(t, p.Payload, 0, "mails to one who was sent none")
	})
}
