package local_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/eventbridge"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// sendWithEvents makes a function send a mail with the configuration set whose events go to RecordFunction. The
// parameter do tells RecordFunction what to do with them.
func sendWithEvents(t testing.TB, s *local.Stack, to, do string) {
	t.Helper()
	a := post(t, s, "/do/send?set=events&do="+do+"&to="+strings.ReplaceAll(to, "+", "%2B"), "Subject: one\r\n\r\nx")
	if a.StatusCode != 200 {
		t.Fatalf("send: got %d %s", a.StatusCode, a.body)
	}
}

// settle waits until the functions have handled all events.
func settle(t testing.TB, s *local.Stack) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := s.Lambda().Settle(ctx); err != nil {
		t.Fatal(err)
	}
}

// recorded waits, for up to a minute, until RecordFunction has logged n events. It returns their types in the order of
// the log.
func recorded(s *local.Stack, n int) (types []string) {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
		types = nil
		for _, line := range localtest.Logs(s) {
			if kind, ok := strings.CutPrefix(line, "recorded "); ok {
				types = append(types, kind)
			}
		}
		if len(types) >= n || time.Now().After(deadline) {
			return types
		}
	}
}

// TestEventsOfAMailReachTheFunction shows which events a mail causes. Without a configuration set there are none.
func TestEventsOfAMailReachTheFunction(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		sendWithEvents(t, s, "a@example.org,bounce+one@simulator.amazonses.com", "")
		settle(t, s)
		got := recorded(s, 3)
		slices.Sort(got) // events come in any order
		if want := []string{"Bounce", "Delivery", "Send"}; !slices.Equal(got, want) {
			t.Errorf("the function has got %v, want %v", got, want)
		}
		m := s.Outbox().Mails()[0]
		expect.Equal(t, m.Status, "bounced")
		expect.Equal(t, len(m.Events), 3)
		if a := post(t, s, "/do/send?to=a@example.org", "Subject: two\r\n\r\nx"); a.StatusCode != 200 {
			t.Fatalf("send: got %d %s", a.StatusCode, a.body)
		}
		settle(t, s)
		expect.Len(t, recorded(s, 0), 3, "without the configuration set")
		expect.Equal(t, s.Outbox().Mails()[0].Status, "", "without the configuration set: status")
	})
}

// TestEventsAreHeldBackRepeatedAndReordered shows what tests can do with the bus. The outbox lists each event once, in
// the order of time, however often and in whatever order the bus delivers it.
func TestEventsAreHeldBackRepeatedAndReordered(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		var mu sync.Mutex
		var held []eventbridge.Event
		s.Events().Replace(func(e eventbridge.Event) []eventbridge.Event {
			mu.Lock()
			defer mu.Unlock()
			held = append(held, e)
			return nil
		})
		// Nothing may reach the function or the outbox while the events are held back.
		sendWithEvents(t, s, "complaint@simulator.amazonses.com", "")
		settle(t, s)
		expect.Equal(t, recorded(s, 0), nil)
		expect.Equal(t, s.Outbox().Mails()[0].Status, "")
		expect.Equal(t, len(held), 3, "events held back")
		s.Events().Replace(func(e eventbridge.Event) []eventbridge.Event { return []eventbridge.Event{e, e} })
		for _, e := range slices.Backward(held) {
			s.Events().Put(e)
			settle(t, s)
		}
		want := []string{"Complaint", "Complaint", "Delivery", "Delivery", "Send", "Send"}
		if got := recorded(s, len(want)); !slices.Equal(got, want) {
			t.Errorf("the function has got %v, want %v", got, want)
		}
		m := s.Outbox().Mails()[0]
		expect.Equal(t, m.Status, "complained")
		expect.Len(t, m.Events, 3)
		expect.Equal(t, m.Events[0].Type, "Send")
		s.Events().Replace(nil)
		s.Events().Put(held[0])
		if got := recorded(s, 7); len(got) != 7 {
			t.Errorf("the function has got %v", got)
		}
	})
}

// TestAFailedEventIsTriedTwiceMoreAndIsADeadLetter shows Lambda's asynchronous invocation: three attempts in all, then
// the queue. The log names no address.
func TestAFailedEventIsTriedTwiceMoreAndIsADeadLetter(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for _, do := range []string{"error", "panic"} {
			localtest.Case(t, do, func(t testing.TB) {
				s := startStack(t)
				sendWithEvents(t, s, "bounce@simulator.amazonses.com", do)
				settle(t, s)
				if got := recorded(s, 6); len(got) != 6 {
					t.Errorf("the function has got %v", got)
				}
				letters := s.Lambda().DeadLetters()
				expect.Len(t, letters, 2)
				expect.Equal(t, letters[0].Function, "RecordFunction")
				expect.Not(t, letters[0].Err, "")
				expect.Contains(t, string(letters[0].Event.Payload), `"detail-type":"Email `)
				failed := 0
				for _, i := range s.Lambda().Invocations() {
					if i.RequestID == letters[0].Event.RequestID && i.Err != "" {
						failed++
					}
				}
				if failed != 3 {
					t.Errorf("%d invocations with the event have failed", failed)
				}
				lines := strings.Join(localtest.Logs(s), "\n")
				expect.Contains(t, lines, `"msg":"dead letter"`)
				expect.Lacks(t, lines, "@")
			})
		}
	})
}

// TestEventsAreHandedOnBeforeTheStackEnds shows that no event of an acknowledged mail is lost by a normal end.
func TestEventsAreHandedOnBeforeTheStackEnds(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		for range 20 {
			sendWithEvents(t, s, "a@example.org", "")
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if got := recorded(s, 40); len(got) != 40 {
			t.Errorf("the function has got %d events of 40", len(got))
		}
	})
}
