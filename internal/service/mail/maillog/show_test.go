package maillog_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

const (
	ada, ben = "ada@example.org", "ben@example.org"
	unknown  = "smtp; 550 5.1.1 user unknown"
	notFound = `{"message":"There is no such mail, or nothing is known of it yet","code":"not_found"}`
	noKey    = `{"message":"api_access_token is missing or not a valid API key; it takes a mail key (fdm_…) alone, ` +
		`without Bearer","code":"unauthorized"}`
)

// TestOutcomes: the status that follows from a mail's events is the same in the mail and in the list.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for name, c := range map[string]struct {
			to     []string // nil for Ada
			events func(m sentMail) []object
			want   string
			detail string // of the first recipient
		}{
			"sent": {
				events: func(m sentMail) []object { return []object{m.send()} },
				want:   "sent: ada@example.org=sent",
			},
			"delivered": {
				events: func(m sentMail) []object { return []object{m.send(), m.delivery(1, ada)} },
				want:   "delivered: ada@example.org=delivered", detail: "250 2.6.0 Message received",
			},
			"delivered, of whose sending nothing has come": {
				events: func(m sentMail) []object { return []object{m.delivery(1, ada)} },
				want:   "delivered: ada@example.org=delivered", detail: "250 2.6.0 Message received",
			},
			"delayed": {
				events: func(m sentMail) []object { return []object{m.send(), m.delay(60, ada)} },
				want:   "delayed: ada@example.org=delayed", detail: "smtp; 452 4.2.2 mailbox full",
			},
			"delayed, and then delivered": {
				events: func(m sentMail) []object { return []object{m.send(), m.delay(60, ada), m.delivery(90, ada)} },
				want:   "delivered: ada@example.org=delivered", detail: "250 2.6.0 Message received",
			},
			"a delay that comes late": {
				events: func(m sentMail) []object { return []object{m.send(), m.delivery(90, ada), m.delay(60, ada)} },
				want:   "delivered: ada@example.org=delivered", detail: "250 2.6.0 Message received",
			},
			"bounced": {
				events: func(m sentMail) []object {
					return []object{m.send(), m.bounce(1, "Permanent", "General", unknown, ada)}
				},
				want: "bounced: ada@example.org=bounced", detail: unknown,
			},
			"bounced by a server that took it": {
				events: func(m sentMail) []object {
					return []object{m.delivery(1, ada), m.bounce(60, "Permanent", "General", unknown, ada)}
				},
				want: "bounced: ada@example.org=bounced", detail: unknown,
			},
			"bounced without a diagnostic": {
				events: func(m sentMail) []object { return []object{m.bounce(1, "Transient", "MailboxFull", "", ada)} },
				want:   "bounced: ada@example.org=bounced", detail: "Transient MailboxFull",
			},
			"given up": {
				events: func(m sentMail) []object { return []object{m.bounce(1, "Transient", "General", "", ada)} },
				want:   "bounced: ada@example.org=bounced", detail: "Transient General",
			},
			"out of office": {
				events: func(m sentMail) []object {
					return []object{m.bounce(2, "Transient", "General", "", ada), m.delivery(1, ada)}
				},
				want: "delivered: ada@example.org=delivered", detail: "250 2.6.0 Message received",
			},
			"out of office, of nobody": {
				events: func(m sentMail) []object {
					return []object{m.send(), m.bounce(2, "Undetermined", "Undetermined", "")}
				},
				want: "sent: ada@example.org=sent",
			},
			"complained": {
				events: func(m sentMail) []object {
					return []object{m.complaint(600, nil, ada), m.send(), m.delivery(1, ada)}
				},
				want: "complained: ada@example.org=complained", detail: "abuse",
			},
			"rejected": {
				events: func(m sentMail) []object { return []object{m.reject(), m.send()} },
				want:   "rejected: ada@example.org=rejected", detail: "Bad content",
			},
			"suppressed, for it has bounced": {
				events: func(m sentMail) []object {
					return []object{m.send(), m.bounce(1, "Permanent", "OnAccountSuppressionList", "on the list", ada)}
				},
				want: "suppressed: ada@example.org=suppressed", detail: "OnAccountSuppressionList: on the list",
			},
			"suppressed, and then bounced": {
				events: func(m sentMail) []object {
					return []object{
						m.bounce(1, "Permanent", "OnAccountSuppressionList", "on the list", ada),
						m.bounce(2, "Permanent", "General", unknown, ada),
					}
				},
				want: "suppressed: ada@example.org=suppressed", detail: "OnAccountSuppressionList: on the list",
			},
			"suppressed by SES's own list": {
				events: func(m sentMail) []object {
					return []object{m.send(), m.bounce(1, "Permanent", "Suppressed", "on the list", ada)}
				},
				want: "suppressed: ada@example.org=suppressed", detail: "Suppressed: on the list",
			},
			"suppressed, for it has complained": {
				events: func(m sentMail) []object {
					return []object{m.send(), m.complaint(1, "OnAccountSuppressionList", ada)}
				},
				want: "suppressed: ada@example.org=suppressed", detail: "OnAccountSuppressionList",
			},
			"a recipient in other letters": {
				to: []string{"Ada@example.org"},
				events: func(m sentMail) []object {
					return []object{m.send(), m.bounce(1, "Permanent", "General", unknown, "<ada@EXAMPLE.org>")}
				},
				want: "bounced: Ada@example.org=bounced", detail: unknown,
			},
			"a recipient in another script": {
				to: []string{"ada@xn--bcher-kva.example"},
				events: func(m sentMail) []object {
					return []object{m.send(), m.bounce(1, "Permanent", "General", unknown, "Ada@BÜCHER.example")}
				},
				want: "bounced: ada@xn--bcher-kva.example=bounced", detail: unknown,
			},
			"two recipients who differ in letters alone": {
				to:     []string{"Ada@example.org", ada},
				events: func(m sentMail) []object { return []object{m.send(), m.delivery(1, ada)} },
				want:   "sent: Ada@example.org=sent ada@example.org=delivered",
			},
			"two recipients": {
				to: []string{ada, ben},
				events: func(m sentMail) []object {
					return []object{m.send(), m.bounce(1, "Permanent", "General", unknown, ben), m.delivery(1, ada)}
				},
				want:   "bounced: ada@example.org=delivered ben@example.org=bounced",
				detail: "250 2.6.0 Message received",
			},
			"two recipients, of whom one is open": {
				to:     []string{ada, ben},
				events: func(m sentMail) []object { return []object{m.send(), m.delivery(1, ada)} },
				want:   "sent: ada@example.org=delivered ben@example.org=sent", detail: "250 2.6.0 Message received",
			},
			"a long detail": {
				events: func(m sentMail) []object {
					return []object{m.bounce(1, "Permanent", "General", strings.Repeat("ü", 500), ada)}
				},
				want: "bounced: ada@example.org=bounced", detail: strings.Repeat("ü", 150) + "…",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				m := s.sent(c.to...)
				if c.to == nil {
					m.to = []string{ada}
				}
				events := c.events(m)
				s.record(t, events...)
				a, got := s.show(t, s.key, m.id)
				if a.Status != http.StatusOK || got.statuses() != c.want {
					t.Fatalf("%s\n want %s", errorf(a), c.want)
				}
				if first := got.Recipients[0]; first.Detail != c.detail || first.At.Before(m.at) {
					t.Errorf("the first recipient is %+v, want %q", first, c.detail)
				}
				expect.Equal(t, got.ID, m.id)
				expect.Equal(t, got.From, "Sender <sender@example.com>")
				expect.Equal(t, got.Subject, "Grüße, your ticket")
				expect.Equal(t, got.SentAt, m.at)
				for i := range got.Events[1:] {
					if got.Events[i+1].At.Before(got.Events[i].At) {
						t.Errorf("the events are not in order: %s", a.Raw)
					}
				}
				_, listed := s.list(t, s.key, "?limit=1")
				expect.Len(t, listed.Payload, 1)
				expect.Equal(t, listed.Payload[0].statuses(), c.want)
				expect.Equal(t, listed.Payload[0].Subject, got.Subject)
				expect.Equal(t, listed.Payload[0].From, got.From)
			})
		}
		localtest.Case(t, "details of their own", func(t testing.TB) {
			m := s.sent(ada, ben)
			s.record(t, m.event("Bounce", 1, object{"bounceType": "Permanent", "bounceSubType": "General",
				"bouncedRecipients": array{
					object{"emailAddress": ada, "diagnosticCode": "one"},
					object{"emailAddress": ben, "diagnosticCode": "two"},
				}}))
			_, got := s.show(t, s.key, m.id)
			expect.Equal(t, got.Recipients[0].Detail, "one")
			expect.Equal(t, got.Recipients[1].Detail, "two")
			expect.Equal(t, len(got.Events), 2)
		})
		for _, line := range localtest.Logs(s.Stack.Stack) {
			expect.Lacks(t, line, "@", "the log names somebody, or a subject")
			expect.Lacks(t, line, "ticket", "the log names somebody, or a subject")
		}
		s.MustBeWhole(t)
	})
}

// TestAddressesOfOthers: an event about an address that the mail was not sent to counts for the mail. The address is
// neither shown nor stored.
func TestAddressesOfOthers(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const private = "private.name@example.net"
		for name, c := range map[string]struct {
			events func(m sentMail) []object
			want   string
			told   string // the events but the first, which is that the mail was sent
		}{
			"a bounce where a mailbox forwards to": {
				events: func(m sentMail) []object {
					return []object{m.bounce(1, "Permanent", "General", unknown, private)}
				},
				want: "bounced: ada@example.org=sent ben@example.org=sent",
				told: "bounced [] " + unknown,
			},
			"a bounce of a recipient and of another": {
				events: func(m sentMail) []object {
					return []object{m.bounce(1, "Permanent", "General", unknown, private, ben)}
				},
				want: "bounced: ada@example.org=sent ben@example.org=bounced",
				told: "bounced [ben@example.org] " + unknown,
			},
			"a bounce of nobody": {
				events: func(m sentMail) []object { return []object{m.bounce(1, "Permanent", "General", "")} },
				want:   "bounced: ada@example.org=sent ben@example.org=sent",
				told:   "bounced [] Permanent General",
			},
			"an automatic answer of another": {
				events: func(m sentMail) []object { return []object{m.bounce(1, "Transient", "General", "", private)} },
				want:   "sent: ada@example.org=sent ben@example.org=sent",
				told:   "bounced [] Transient General",
			},
			"a complaint that names whom a provider has": {
				events: func(m sentMail) []object {
					return []object{m.event("Complaint", 1, object{
						"complaintFeedbackType": "abuse",
						"complainedRecipients":  array{object{"emailAddress": private}, object{"emailAddress": ada}},
					})}
				},
				want: "complained: ada@example.org=complained ben@example.org=sent",
				told: "complained [ada@example.org] abuse",
			},
			"a complaint of another": {
				events: func(m sentMail) []object { return []object{m.complaint(1, nil, private)} },
				want:   "complained: ada@example.org=sent ben@example.org=sent",
				told:   "complained [] abuse",
			},
			"a delivery to another": {
				events: func(m sentMail) []object {
					return []object{m.delivery(1, ada, private), m.delivery(2, private)}
				},
				want: "sent: ada@example.org=delivered ben@example.org=sent",
				told: "delivered [ada@example.org] 250 2.6.0 Message received, " +
					"delivered [] 250 2.6.0 Message received",
			},
			"a delay of another": {
				events: func(m sentMail) []object { return []object{m.delay(1, private)} },
				want:   "delayed: ada@example.org=sent ben@example.org=sent",
				told:   "delayed [] smtp; 452 4.2.2 mailbox full",
			},
			"a diagnostic that names a recipient": {
				events: func(m sentMail) []object {
					const diagnostic = "550 <Ada@Example.org>: 'ben@example.org'."
					return []object{m.bounce(1, "Permanent", "General", diagnostic, ada)}
				},
				want: "bounced: ada@example.org=bounced ben@example.org=sent",
				told: "bounced [ada@example.org] 550 <Ada@Example.org>: 'ben@example.org'.",
			},
			"a diagnostic that names others": {
				events: func(m sentMail) []object {
					const diagnostic = "550 <private.name@example.net>: rfc822;private.name@EXAMPLE.net, " +
						`"private name"@example.net`
					return []object{m.bounce(1, "Permanent", "General", diagnostic, ada)}
				},
				want: "bounced: ada@example.org=bounced ben@example.org=sent",
				told: "bounced [ada@example.org] 550 <[another address]>: rfc822;[another address], [another address]",
			},
			"an address that is cut off": {
				events: func(m sentMail) []object {
					return []object{m.bounce(1, "Permanent", "General", strings.Repeat("x ", 145)+private, ada)}
				},
				want: "bounced: ada@example.org=bounced ben@example.org=sent",
				told: "bounced [ada@example.org] " + strings.Repeat("x ", 145) + "[another a…",
			},
			"an answer of the server that names another": {
				events: func(m sentMail) []object {
					return []object{m.event("Delivery", 1, object{
						"recipients": array{ada}, "smtpResponse": "250 forwarded to " + private,
					})}
				},
				want: "sent: ada@example.org=delivered ben@example.org=sent",
				told: "delivered [ada@example.org] 250 forwarded to [another address]",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				m := s.sent(ada, ben)
				s.record(t, append(c.events(m), m.send())...)
				a, got := s.show(t, s.key, m.id)
				_, listed := s.list(t, s.key, "?limit=1")
				expect.Equal(t, got.statuses(), c.want)
				expect.Len(t, listed.Payload, 1)
				expect.Equal(t, listed.Payload[0].statuses(), c.want)
				var told []string
				for _, e := range got.Events[1:] {
					told = append(told, fmt.Sprint(e.Type, " ", e.Recipients, " ", e.Detail))
				}
				if strings.Join(told, ", ") != c.told || strings.Contains(a.Raw, "null") {
					t.Errorf("%s\n want %s", a.Raw, c.told)
				}
				for _, item := range s.items(t, m) {
					if strings.Contains(strings.ToLower(item), "private") {
						t.Errorf("stored is %s", item)
					}
				}
			})
		}
	})
}

// TestAddressesInADetail: in a detail a recipient's address stays, however a server writes it. Nothing of another
// address stays.
func TestAddressesInADetail(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const bücher = "ada@xn--bcher-kva.example"
		const percent = "{a=b%40c}@example.org"
		for name, c := range map[string]struct{ detail, want string }{
			"a recipient in another script":      {"550 <Ada@BÜCHER.example>", "550 <Ada@BÜCHER.example>"},
			"a recipient in punycode":            {"<Ada@XN--BCHER-kva.example>", "<Ada@XN--BCHER-kva.example>"},
			"a recipient behind a label":         {"to=ada@example.org, relay=x", "to=ada@example.org, relay=x"},
			"a recipient behind a label, quoted": {"TO='ada@example.org'", "TO='ada@example.org'"},
			"a recipient in braces":              {"{ada@example.org}", "{ada@example.org}"},
			"a recipient between bars":           {"|ada@example.org|", "|ada@example.org|"},
			"a recipient in bold":                {"*ada@example.org*!", "*ada@example.org*!"},
			"a recipient with its @ encoded":     {"ada%40example.org", "ada%40example.org"},
			"a recipient with its @ escaped":     {`ada\@example.org`, `ada\@example.org`},
			"a recipient in quotation marks":     {`"ada"@example.org`, `"ada"@example.org`},
			"a recipient with marks of its own":  {"<" + percent + ">", "<" + percent + ">"},
			"another behind a label":             {"to=private@example.net", "[another address]"},
			"another behind a recipient's label": {"private.name=ada@example.org", "[another address]"},
			"another as a list's return path":    {"private=x.net@example.org", "[another address]"},
			"another before a recipient":         {"private@x.net=ada@example.org", "[another address]"},
			"another in braces":                  {"{private@example.net}", "[another address]"},
			"another with its @ encoded":         {"a private.name%40x.net", "a [another address]"},
			"another with its @ escaped":         {`a private.name\@x.net`, "a [another address]"},
			"another with a quote in its quotes": {`<"a\"private"@x.net>`, "<[another address]>"},
			"another whose quotes are escaped":   {`{\"private name\"@x.net}`, `{\[another address]`},
			"another with an escaped space":      {`private\ name@x.net`, "[another address]"},
			"another with an escaped character":  {`private\,name@x.net`, "[another address]"},
			"another in another script":          {"privat@BÜCHER.example", "[another address]"},
			"another that begins as a recipient": {"ada@example.org.private.net", "[another address]"},
			"another that ends as a recipient":   {"private-ada@example.org", "[another address]"},
			"a file's path is no address":        {`C:\mail\ada 100%`, `C:\mail\ada 100%`},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				m := s.sent(ada, bücher, percent)
				s.record(t, m.bounce(1, "Permanent", "General", c.detail, ada))
				if _, got := s.show(t, s.key, m.id); len(got.Events) != 1 || got.Events[0].Detail != c.want {
					t.Errorf("the events are %+v, want %s", got.Events, c.want)
				}
			})
		}
	})
}

// TestEventsOfOneMail: an answer has all events or says that there are more, after equally many round trips. Then it
// shows the last ones, so that the statuses are right.
func TestEventsOfOneMail(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		m := s.sent(ada)
		for i := range 49 {
			m.to = append(m.to, fmt.Sprintf("r%d.%s@example.org", i, strings.Repeat("a", 230)))
		}
		recorded := 0
		for _, c := range []struct {
			name   string
			events int // of 14 KB in the table each, with those of the cases before
			more   bool
		}{
			{"one", 1, false},
			{"seventy", 70, false},
			{"more than one query gives", 100, true},
		} {
			localtest.Case(t, c.name, func(t testing.TB) {
				for ; recorded < c.events-1; recorded++ {
					s.record(t, m.delay(recorded, m.to[1]))
				}
				s.record(t, m.complaint(recorded, nil, ada))
				recorded++
				a, got := s.show(t, s.key, m.id)
				if len(got.Events) == 0 {
					t.Fatal("it has no events")
				}
				expect.Equal(t, got.MoreEvents, c.more)
				expect.Equal(t, len(got.Events) < c.events, c.more, "events are left out")
				last := got.Events[len(got.Events)-1]
				expect.Equal(t, last.Type, "complained")
				expect.Equal(t, got.Status, "complained")
				expect.Len(t, got.Recipients, 50)
				expect.Equal(t, got.Recipients[0].Status, "complained")
				for i := range got.Events[1:] {
					if !got.Events[i].At.Before(got.Events[i+1].At) {
						t.Errorf("event %d is not before the next one", i)
					}
				}
				if got := s.Actions(a); !slices.Equal(got, []string{"BatchGetItem", "Query"}) {
					t.Errorf("it took %v", got)
				}
			})
		}
	})
}

// TestDamagedItemsOfTheLog: a request that meets a damaged item is a 500, an unreadable event is an error, and neither
// puts an address into the functions' log.
func TestDamagedItemsOfTheLog(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		m := s.sent(ada)
		s.record(t, m.send())
		for _, item := range s.rawItems(t, m) {
			for _, name := range []string{"at", "outcomes"} {
				if item[name] != nil {
					if err := s.Table.UpdateItem(table.KeyOf(item)).Set(name, ada).Run(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		for to, want := range map[fixture.Target]string{
			fixture.To("getMail", m.id): "event of a mail cannot be read: damaged attributes: at",
			fixture.To("listMails"):     "mail in a log cannot be read: damaged attributes: outcomes",
		} {
			a := s.Call(t, to, fixture.Token(s.key), nil)
			line := localtest.WaitLog(t, s.Stack.Stack, a.RequestID)
			a.Is(t, http.StatusInternalServerError, nil)
			expect.Contains(t, line, want, a.Request)
		}
		malformed := m.send()
		mailOf(malformed)["timestamp"] = ada
		if _, err := s.publish(t, malformed); err == nil {
			t.Error("an event without a time is recorded")
		}
		localtest.WaitLog(t, s.Stack.Stack, "decode event")
		for _, line := range localtest.Logs(s.Stack.Stack) {
			if strings.Contains(line, "@") {
				t.Errorf("the log names somebody: %s", line)
			}
		}
	})
}

// TestWhoSeesAMail: a mail of another mail key gets the answer of one that there is not.
func TestWhoSeesAMail(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		m := s.sent(ada)
		s.record(t, m.send())
		_, other := s.newKey(t)
		for name, c := range map[string]struct{ key, mail string }{
			"another key":     {other, m.id},
			"an unknown mail": {s.key, newMailID()},
			"no id of SES's":  {s.key, "a#b"},
			"a very long id":  {s.key, strings.Repeat("a", 3000)},
		} {
			a := s.Call(t, fixture.To("getMail", c.mail), fixture.Token(c.key), nil)
			a.Is(t, http.StatusNotFound, nil)
			expect.Equal(t, a.Raw, notFound, name+": answer")
		}
		expect.Equal(t, s.Call(t, fixture.To("listMails"), nil, nil).Raw, noKey, "without a key")
		m.id = "azAZ-09" // SES does not say which letters its ids have
		s.record(t, m.send())
		_, found := s.show(t, s.key, m.id)
		expect.Equal(t, found.ID, m.id, "an id of all characters that it may have")
	})
}

// TestRetention: a mail ends with its retention, whether DynamoDB has deleted it or not, also if it was recorded while
// mails were kept for longer.
func TestRetention(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		old, longer, kept := s.sent(ada), s.sent(ada), s.sent(ada)
		old.at = old.at.Add(-30*24*time.Hour + time.Minute) // it is recorded while it may be
		longer.at = old.at
		kept.at = kept.at.Add(-29 * 24 * time.Hour)
		s.record(t, old.send(), longer.send(), kept.send())
		if n := s.logged(t); n != 6 {
			t.Fatalf("%d items are logged", n)
		}
		for _, item := range s.Items(t) {
			if k := fixture.KeyOf(t, item); strings.HasPrefix(k.PK, "MAIL#") || strings.HasPrefix(k.PK, "MAILS#") {
				want := old.at
				if strings.Contains(k.PK+k.SK, kept.id) {
					want = kept.at
				}
				if got := expiry(t, item); got != want.Add(30*24*time.Hour).Unix() {
					t.Errorf("%s expires at %d", k, got)
				}
			}
		}
		for _, item := range s.rawItems(t, longer) {
			later := time.Now().Add(time.Hour).Unix()
			if err := s.Table.UpdateItem(table.KeyOf(item)).Set(table.ExpiresAt, later).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		for _, m := range []sentMail{old, longer} {
			a, _ := s.show(t, s.key, m.id)
			a.Is(t, http.StatusNotFound, nil)
		}
		a, _ := s.show(t, s.key, kept.id)
		a.Is(t, http.StatusOK, nil)
		_, p := s.list(t, s.key, "")
		expect.Len(t, p.Payload, 1)
		expect.Equal(t, p.Payload[0].ID, kept.id, "listed")
		// What comes after it is not recorded.
		before := s.logged(t)
		s.record(t, old.delivery(1, ada))
		if n := s.logged(t); n != before {
			t.Errorf("%d items more", n-before)
		}
	})
}
