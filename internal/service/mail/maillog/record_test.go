package maillog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/operate/personaldata"
	"frontdesk/internal/operate/registry"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/maillog"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// metered is the service in this process, on the stack's table, its calls on a meter.
func (s *stack) metered() (*maillog.Service, *fixture.Meter) {
	took := &fixture.Meter{}
	return &maillog.Service{
		Table: table.Open(took.Count(s.Operator()), s.Table.Name()), Retention: 30 * 24 * time.Hour,
		Log: slog.New(slog.DiscardHandler),
	}, took
}

func invoke(t testing.TB, s *maillog.Service, event object) {
	t.Helper()
	text, err := json.Marshal(event)
	if err == nil {
		_, err = s.Invoke(context.Background(), text)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// call asks an endpoint in this process.
func call(t testing.TB, f api.Function, key, mailID string, query map[string]string) (status int, body string) {
	t.Helper()
	f.Log = slog.New(slog.DiscardHandler)
	event, _ := json.Marshal(object{
		"headers": object{"api_access_token": key}, "queryStringParameters": query,
		"pathParameters": object{"mail_id": mailID},
	})
	answer, err := f.Invoke(context.Background(), event)
	var decoded struct {
		StatusCode int
		Body       string
	}
	if err == nil {
		err = json.Unmarshal(answer, &decoded)
	}
	if err != nil {
		t.Fatal(err)
	}
	return decoded.StatusCode, decoded.Body
}

func expiry(t testing.TB, item dynamo.Item) int64 {
	t.Helper()
	var e struct {
		At int64 `dynamo:"expires_at"`
	}
	if err := dynamo.UnmarshalItem(item, &e); err != nil {
		t.Fatal(err)
	}
	return e.At
}

// six are events of one mail to two recipients, of each type.
func six(m sentMail) []object {
	return []object{
		m.send(), m.delay(10, ada), m.delivery(20, ada), m.complaint(600, nil, ada),
		m.bounce(5, "Permanent", "General", unknown, ben), m.bounce(6, "Transient", "General", "", ada),
	}
}

const afterSix = "complained: ada@example.org=complained ben@example.org=bounced"

// rawItems are those of a mail: its events, and its entry in the log.
func (s *stack) rawItems(t testing.TB, m sentMail) []dynamo.Item {
	t.Helper()
	var events []dynamo.Item
	err := s.Table.Get("PK", table.MailEvent(m.id, "").PK).Consistent(true).All(context.Background(), &events)
	for part := 0; part < 4 && err == nil; part++ {
		var entries []dynamo.Item
		key, _ := id.Parse(m.key)
		log := table.LoggedMail(key, part, m.at.Format("2006-01-02T15:04:05.000Z")+"#"+m.id)
		err = s.Table.Get("PK", log.PK).Range("SK", dynamo.Equal, log.SK).Consistent(true).
			All(context.Background(), &entries)
		events = append(events, entries...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// items are those of a mail: everything of them but the mail's id, for comparison.
func (s *stack) items(t testing.TB, m sentMail) []string {
	t.Helper()
	var found []string
	for _, item := range s.rawItems(t, m) {
		if set, ok := item["outcomes"].(*types.AttributeValueMemberSS); ok {
			slices.Sort(set.Value)
		}
		delete(item, "PK")
		text, err := json.Marshal(item)
		if err != nil {
			t.Fatal(err)
		}
		named := strings.NewReplacer(m.id, "mail", m.key, "key").Replace(string(text))
		found = append(found, digests.ReplaceAllString(named, "digest"))
	}
	return found
}

// digests are those in the names of events, which depend on the mail key.
var digests = regexp.MustCompile(`\b[0-9a-f]{16}\b`)

// TestEventsInAnyOrder: six events in every order, each twice, leave the same items and the same mail. The test builds
// the items in memory, because 17,280 writes to a table take too long.
func TestEventsInAnyOrder(t *testing.T) {
	t.Parallel()
	m := sentMail{newMailID(), "4711", time.Now().UTC().Truncate(time.Millisecond), []string{ada, ben}}
	var events [][]byte
	for _, e := range six(m) {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, text)
	}
	want, n := "", 0
	permute([]int{0, 1, 2, 3, 4, 5}, func(order []int) {
		var all [][]byte
		for i := range order {
			all = append(all, events[order[i]])
			if i > 0 { // again, as the next one has come
				all = append(all, events[order[i-1]])
			}
		}
		got := maillog.After(append(all, events[order[5]]))
		if want == "" {
			want = got
		}
		if got != want {
			t.Fatalf("in the order %v: %s\n want %s", order, got, want)
		}
		n++
	})
	if n != 720 || strings.Count(want, afterSix) != 2 {
		t.Errorf("after %d orders: %s", n, want)
	}
}

// TestEventsInTheTable: six events in the real table, each of them first, last, and before and after its neighbours,
// each twice.
func TestEventsInTheTable(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		at := time.Now().UTC().Truncate(time.Millisecond)
		var want []string
		for turn := range 12 {
			m := s.sent(ada, ben)
			m.at = at
			events := six(m)
			if turn >= 6 {
				slices.Reverse(events)
			}
			events = append(events[turn%6:], events[:turn%6]...)
			for i, e := range events {
				s.record(t, e, events[max(0, i-1)])
			}
			s.record(t, events[5])
			got := s.items(t, m)
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) || len(got) != 7 {
				t.Errorf("in turn %d: %v\n want %v", turn, got, want)
			}
		}
	})
}

func permute(rest []int, visit func([]int)) {
	var from func(k int)
	from = func(k int) {
		if k == len(rest) {
			visit(rest)
		}
		for i := k; i < len(rest); i++ {
			rest[k], rest[i] = rest[i], rest[k]
			from(k + 1)
			rest[k], rest[i] = rest[i], rest[k]
		}
	}
	from(0)
}

// TestEventsWhoseWritesFail: the process ends before or after each write, or the table refuses the write. When the
// event comes again, the items are as if nothing had failed. The events meet the faults of a case in turn.
func TestEventsWhoseWritesFail(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		smooth := s.sent(ada, ben)
		s.record(t, six(smooth)...)
		want := s.items(t, smooth)
		denied := awsproxy.Refuse(400, "AccessDeniedException", "")
		for name, faults := range map[string][]*awsproxy.Fault{
			"killed before and after": {awsproxy.KillBefore, awsproxy.KillAfter}, "refused": {denied},
		} {
			for _, action := range []string{"BatchGetItem", "PutItem", "UpdateItem"} {
				localtest.Case(t, name+" "+action, func(t testing.TB) {
					m := s.sent(ada, ben)
					m.at = smooth.at
					key, text := s.newKey(t) // which no process knows
					m.key = key.String()
					failures := 0
					for i, e := range six(m) {
						s.AWSProxy().Inject(fail(action, faults[i%len(faults)]))
						if _, err := s.publish(t, e); err != nil {
							failures++
							s.AWSProxy().Inject(nil)
							s.record(t, e)
						}
					}
					s.AWSProxy().Inject(nil)
					expect.Equal(t, failures, 6)
					if got := s.items(t, m); !slices.Equal(got, want) {
						t.Errorf("%v\n want %v", got, want)
					}
					if _, got := s.show(t, text, m.id); got.statuses() != afterSix {
						t.Errorf("shown as %s", got.statuses())
					}
				})
			}
		}
	})
}

// TestNoWriteIsUndoneByItsOwnRepetition: the first try of each write arrives late, after all later events
// are recorded.
func TestNoWriteIsUndoneByItsOwnRepetition(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		smooth, late := s.sent(ada, ben), s.sent(ada, ben)
		late.at = smooth.at
		s.record(t, six(smooth)...)
		arrive := s.DelayFirstAttempts(t, func() { s.record(t, six(late)...) })
		arrive()
		if got, want := s.items(t, late), s.items(t, smooth); !slices.Equal(got, want) {
			t.Errorf("%v\n want %v", got, want)
		}
	})
}

// TestEventsOfOthers: events that concern no mail key, or say nothing about an outcome, write nothing. An event of
// ours that cannot be understood is an error, so that it is not lost.
func TestEventsOfOthers(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		m := s.sent(ada)
		change := func(change func(event, detail, mail object)) object {
			e := m.send()
			detail := e["detail"].(object)
			change(e, detail, detail["mail"].(object))
			return e
		}
		of := func(field string, value any) object {
			return change(func(_, _, mail object) { mail[field] = value })
		}
		tags := func(tags any) object { return of("tags", tags) }
		for name, c := range map[string]struct {
			event any
			fails bool
		}{
			"without tags":         {event: tags(nil)},
			"without our tag":      {event: tags(object{"campaign": array{"news"}})},
			"two of our tag":       {event: tags(object{"frontdesk-key": array{s.id.String(), s.id.String()}})},
			"no id of a key":       {event: tags(object{"frontdesk-key": array{"news"}})},
			"a key that is not":    {event: tags(object{"frontdesk-key": array{"4711"}})},
			"another source":       {event: change(func(e, _, _ object) { e["source"] = "my.ses" })},
			"opened":               {event: change(func(_, d, _ object) { d["eventType"] = "Open" })},
			"of another service":   {event: object{"source": "aws.ec2", "detail": object{"state": "running"}}},
			"too old":              {event: of("timestamp", "2026-01-01T00:00:00.000Z")},
			"no id of the mail":    {event: of("messageId", nil), fails: true},
			"a strange id":         {event: of("messageId", "a#b"), fails: true},
			"no time":              {event: of("timestamp", nil), fails: true},
			"no recipients":        {event: of("destination", array{}), fails: true},
			"a type that is wrong": {event: of("destination", ada), fails: true},
			"no JSON":              {event: "{", fails: true},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				if _, err := s.publish(t, c.event); (err != nil) != c.fails {
					t.Errorf("the error is %v", err)
				}
			})
		}
		if n := s.logged(t); n != 0 {
			t.Errorf("%d items are logged", n)
		}
	})
}

// Bounds of the log's items in bytes, as its package says.
const (
	maxEvent = 30_000
	maxEntry = 150_000
)

// TestItemsAreBounded: an event is recorded however long its texts and lists are, and its items stay far below
// DynamoDB's limit.
func TestItemsAreBounded(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		long := strings.Repeat("ü\"\x01", 25_000) // 100 KB
		many := func(n int, length int) (list []string) {
			for i := range n {
				list = append(list, fmt.Sprintf("r%d.%s@example.org", i, strings.Repeat("a", length)))
			}
			return list
		}
		each := func(diagnostic func(i int) string, to ...string) (list array) {
			for i, address := range to {
				list = append(list, object{"emailAddress": address, "diagnosticCode": diagnostic(i)})
			}
			return list
		}
		same := func(text string) func(int) string { return func(int) string { return text } }
		bounced := func(m sentMail, recipients array) object {
			own := object{"bounceType": long, "bounceSubType": long, "bouncedRecipients": recipients}
			return m.event("Bounce", 1, own)
		}
		for name, c := range map[string]struct {
			to    []string
			event func(m sentMail) []object
			items int // at least
		}{
			"a long subject": {[]string{ada}, func(m sentMail) []object {
				e := m.send()
				mailOf(e)["commonHeaders"] = object{"subject": long, "from": array{long}}
				return []object{e}
			}, 2},
			"a long sender": {[]string{ada}, func(m sentMail) []object {
				e := m.send()
				mailOf(e)["commonHeaders"], mailOf(e)["source"] = object{}, long
				return []object{e}
			}, 2},
			"an address that is long": {many(1, 100_000), func(m sentMail) []object { return []object{m.send()} }, 2},
			"a name that is long": {[]string{`"` + strings.Repeat("x", 100_000) + `" <ada@example.org>`},
				func(m sentMail) []object { return []object{m.send()} }, 2},
			"a long diagnostic": {[]string{ada}, func(m sentMail) []object {
				return []object{bounced(m, each(same(long), ada))}
			}, 2},
			"long types": {[]string{ada}, func(m sentMail) []object {
				return []object{bounced(m, nil), m.event("Complaint", 1, object{
					"complaintFeedbackType": long, "complaintSubType": long, "userAgent": long,
					"complainedRecipients": array{object{"emailAddress": long}},
				})}
			}, 3},
			"a long answer": {[]string{ada}, func(m sentMail) []object {
				return []object{m.event("Delivery", 1, object{"recipients": array{ada, long}, "smtpResponse": long})}
			}, 2},
			"a long reason": {[]string{ada}, func(m sentMail) []object {
				return []object{m.event("Reject", 1, object{"reason": long})}
			}, 2},
			"long tags": {[]string{ada}, func(m sentMail) []object {
				e := m.send()
				mailOf(e)["tags"].(object)["campaign"] = array{long}
				return []object{e}
			}, 2},
			"an event that is not recorded": {[]string{ada}, func(m sentMail) []object {
				return []object{
					m.send(), m.event("Click", 1, object{"link": long, "userAgent": long}),
					m.event("Open", 2, object{"userAgent": long}),
				}
			}, 2},
			"fifty long addresses": {many(50, 240), func(m sentMail) []object {
				all := each(same(""), m.to...)
				return append(six(m), m.reject(), m.bounce(3, "Permanent", "General", "", m.to...),
					m.delivery(4, m.to...), m.event("Complaint", 5, object{"complainedRecipients": all}),
					m.event("Complaint", 6, object{"complaintSubType": "Suppressed", "complainedRecipients": all}),
					m.event("DeliveryDelay", 7, object{"delayedRecipients": each(same(long[:9000]), m.to...)}),
					m.event("Bounce", 8, object{"bounceType": "Undetermined", "bouncedRecipients": all}))
			}, 14},
			"thousands of recipients": {many(3000, 60), func(m sentMail) []object { return []object{m.send()} }, 2},
			"thousands of diagnostics of one recipient": {[]string{ada}, func(m sentMail) []object {
				return []object{bounced(m, each(func(i int) string { return fmt.Sprint(i) },
					slices.Repeat([]string{ada}, 3000)...))}
			}, 2},
			"one id with ever new recipients": {[]string{ada}, func(m sentMail) (events []object) {
				for i := range 20 {
					m.to = many(50, 200+i)
					events = append(events, m.send())
				}
				return events
			}, 2},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				m := s.sent(c.to...)
				s.record(t, c.event(m)...)
				items := s.rawItems(t, m)
				expect.AtLeast(t, len(items), c.items)
				expect.AtMost(t, len(items), 60)
				for _, item := range items {
					bound, size := maxEvent, sizeOf(item)
					if _, isEntry := item["outcomes"]; isEntry {
						bound = maxEntry
					}
					if size > bound {
						t.Errorf("%s has %d bytes", table.KeyOf(item), size)
					}
				}
				a, _ := s.show(t, s.key, m.id)
				a.Is(t, http.StatusOK, nil)
				expect.Equal(t, utf8.ValidString(a.Raw), true)
			})
		}
		if letters := s.Lambda().DeadLetters(); len(letters) != 0 {
			t.Errorf("%d events are not recorded", len(letters))
		}
		s.MustBeWhole(t)
	})
}

// sizeOf is the size of an item as DynamoDB counts it, or a little more.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
func sizeOf(item dynamo.Item) (bytes int) {
	for name, value := range item {
		bytes += len(name) + sizeOfValue(value)
	}
	return bytes
}

func sizeOfValue(value types.AttributeValue) (bytes int) {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return len(v.Value) + 1
	case *types.AttributeValueMemberL:
		for _, element := range v.Value {
			bytes += 1 + sizeOfValue(element)
		}
		return 3 + bytes
	case *types.AttributeValueMemberSS:
		for _, element := range v.Value {
			bytes += 1 + len(element)
		}
		return 3 + bytes
	case *types.AttributeValueMemberNULL:
		return 1
	}
	panic(fmt.Sprintf("the log has no %T", value))
}

// TestAMailWithoutAForgottenPerson: a mail to others, too, keeps what became of these, and loses the person: as a
// recipient, in its subject and in details. The same events, coming again, bring the person back, and a second
// forgetting leaves the items of the first.
func TestAMailWithoutAForgottenPerson(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		m, alone := s.sent(ada, ben), s.sent(ada)
		s.record(t, six(m)...)
		s.record(t, alone.send(), alone.delivery(1, ada))
		p, err := personaldata.Find(t.Context(), s.Table, ada)
		if err != nil {
			t.Fatal(err)
		}
		forget := func() {
			t.Helper()
			o := personaldata.Options{Progress: func(int64) {}}
			report, err := personaldata.Forget(t.Context(), s.Table, registry.Kinds(), p, o)
			if err != nil {
				t.Fatal(err)
			}
			expect.Len(t, report.Left, 0)
		}
		forget()
		before := s.items(t, m)
		expect.Lacks(t, fmt.Sprint(before), ada, "items")
		expect.Len(t, s.items(t, alone), 0, "items of the mail to that person alone")
		_, shown := s.show(t, s.key, m.id)
		expect.Equal(t, shown.statuses(), "bounced: "+ben+"=bounced", "what is known of the mail")

		s.record(t, six(m)...)
		_, shown = s.show(t, s.key, m.id)
		expect.Equal(t, shown.statuses(), afterSix, "what events bring back")
		forget()
		if after := s.items(t, m); !slices.Equal(after, before) {
			t.Errorf("%v\n want %v", after, before)
		}
	})
}

// TestCostOfAnEvent counts the round trips and units of an event, as the page promises them.
func TestCostOfAnEvent(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t, fixture.WithoutFunctions(t))
		most := make([]string, 50)
		for i := range most {
			most[i] = fmt.Sprintf("recipient-%02d@example.org", i)
		}
		for name, c := range map[string]struct {
			to    []string
			calls int
			units float64
			read  float64 // to show the mail
		}{
			"one recipient":    {to: []string{ada}, calls: 3, units: 3, read: 1.5},
			"fifty recipients": {to: most, calls: 3, units: 8, read: 2},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				m := s.sent(c.to...)
				for i, e := range []object{m.send(), m.delivery(1, c.to[0]), m.delivery(1, c.to[0])} {
					service, took := s.metered()
					invoke(t, service, e)
					what := fmt.Sprintf("event %d: ", i+1)
					expect.Equal(t, took.Calls, c.calls, what)
					expect.AtMost(t, took.Units, c.units, what)
					t.Logf("%d calls, %v units", took.Calls, took.Units)
				}
				service, took := s.metered()
				status, _ := call(t, service.ShowFunction(), s.key, m.id, nil)
				expect.Equal(t, status, 200)
				expect.Equal(t, took.Calls, 2)
				expect.AtMost(t, took.Units, c.read)
			})
		}
	})
}
