package mail_test

import (
	"fmt"
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/mail/redirect"
	"frontdesk/internal/service/mail/unsubscribe"
)

// tester gets the mails of keys with a redirect.
const tester = "tester@example.net"

// withRedirect returns the stack with a mail key that redirects to tester and lets some domains through.
func (s *stack) withRedirect(t testing.TB, allow ...string) *stack {
	t.Helper()
	key, text := s.NewMailKey(t, mailkey.Key{
		Name: "test", Sender: mail.Address{Address: "sender@example.com"},
		Redirect: redirect.Rule{To: tester, Allow: allow},
	})
	redirected := *s
	redirected.id, redirected.key = key.ID, text
	return &redirected
}

// redirectAll is an option for a stack that sends all mails to one address.
func redirectAll(to string) func(*local.Options) {
	return func(o *local.Options) { o.Parameters = map[string]string{"RedirectMailTo": to} }
}

// sentCopy is the header of a redirected mail, and the envelope that SES got.
type sentCopy struct {
	Envelope []string
	To, Cc   []string
	Subject  string
	Original string // X-Original-To
}

// sentCopies returns the messages that SES got for an answer, in the order of its ids.
func (s *stack) sentCopies(t testing.TB, r answer) (all []sentCopy) {
	t.Helper()
	// An answer has ids only if SES got several messages.
	ids := r.IDs
	if len(ids) == 0 {
		ids = []string{r.ID}
	}
	for _, id := range ids {
		if id == "" {
			continue
		}
		m := s.captured(t, id)
		subject, err := m.header.Subject()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, sentCopy{
			Envelope: m.to, To: m.boxes(t, "To"), Cc: m.boxes(t, "Cc"), Subject: subject,
			Original: m.header.Get("X-Original-To"),
		})
	}
	return all
}

// boxes returns the mailboxes of a header field, each as an address or as "Name <address>".
func (p parsed) boxes(t testing.TB, field string) (all []string) {
	t.Helper()
	list, err := p.header.AddressList(field)
	if err != nil {
		t.Fatalf("%s: %v", field, err)
	}
	for _, box := range list {
		if box.Name == "" {
			all = append(all, box.Address)
			continue
		}
		all = append(all, box.Name+" <"+box.Address+">")
	}
	return all
}

// TestARedirectedMail: the mail key's redirect gets the mail in place of all recipients but those of the domains that
// it lets through. The cases show what each copy says, and whom it must not name.
func TestARedirectedMail(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		customer := object{"email": "ada@customer.example", "name": "Ada"}
		for name, c := range map[string]struct {
			allow  []string
			change object
			want   []sentCopy
		}{
			"recipients, ccs and bccs get one copy": {
				change: object{
					"recipients": array{customer}, "ccs": readersOf("max@customer.example"),
					"bccs": readersOf("boss@customer.example"),
				},
				want: []sentCopy{{
					Envelope: []string{tester}, To: []string{tester}, Cc: []string{tester},
					Subject:  "[ada@customer.example] Hi",
					Original: "ada@customer.example, max@customer.example, boss@customer.example",
				}},
			},
			"one who is let through gets the copy, which names no bcc": {
				allow: []string{"Example.ORG"},
				change: object{
					"recipients": array{object{"email": "dev@EXAMPLE.org", "name": "Dev"}, customer},
					"bccs":       readersOf("boss@customer.example"),
				},
				want: []sentCopy{{
					Envelope: []string{"dev@example.org", tester}, To: []string{"Dev <dev@example.org>", tester},
					Subject: "[ada@customer.example] Hi", Original: "ada@customer.example",
				}},
			},
			"nor does it where only a bcc is redirected": {
				allow:  []string{"example.org"},
				change: object{"recipients": readersOf("dev@example.org"), "bccs": readersOf("boss@customer.example")},
				want: []sentCopy{{
					Envelope: []string{"dev@example.org", tester}, To: []string{"dev@example.org"}, Subject: "Hi",
				}},
			},
			"nor to a bcc who is let through": {
				allow: []string{"example.org"},
				change: object{
					"recipients": array{customer}, "bccs": readersOf("boss@customer.example", "dev@example.org"),
				},
				want: []sentCopy{{
					Envelope: []string{tester, "dev@example.org"}, To: []string{tester},
					Subject: "[ada@customer.example] Hi", Original: "ada@customer.example",
				}},
			},
			"the tester, in another case of letters, and others": {
				change: object{
					"recipients": array{object{"email": "Tester@EXAMPLE.net", "name": "Tester"}, customer},
					"bccs":       readersOf("boss@customer.example"),
				},
				want: []sentCopy{{
					Envelope: []string{"Tester@example.net"}, To: []string{"Tester <Tester@example.net>"},
					Subject:  "[ada@customer.example] Hi",
					Original: "ada@customer.example, boss@customer.example",
				}},
			},
			"a mail whose recipients are all let through is as ever": {
				allow:  []string{"example.org"},
				change: object{"recipients": readersOf("dev@example.org"), "ccs": readersOf("qa@example.org")},
				want: []sentCopy{{
					Envelope: []string{"dev@example.org", "qa@example.org"}, To: []string{"dev@example.org"},
					Cc: []string{"qa@example.org"}, Subject: "Hi",
				}},
			},
			// Domains are compared whole: a comparison of endings would let notexample.org through.
			"a domain below one that is let through is not": {
				allow:  []string{"example.org"},
				change: object{"recipients": readersOf("dev@mail.example.org", "dev@notexample.org")},
				want: []sentCopy{{
					Envelope: []string{tester}, To: []string{tester}, Subject: "[dev@mail.example.org] Hi",
					Original: "dev@mail.example.org, dev@notexample.org",
				}},
			},
			"a domain may be in any script": {
				allow:  []string{"Bücher.example"},
				change: object{"recipients": readersOf("grete@xn--bcher-kva.example", "grete@müller.example")},
				want: []sentCopy{{
					Envelope: []string{"grete@xn--bcher-kva.example", tester},
					To:       []string{"grete@xn--bcher-kva.example", tester},
					Subject:  "[grete@xn--mller-kva.example] Hi", Original: "grete@xn--mller-kva.example",
				}},
			},
			"who gets the redirected mails may be a recipient": {
				change: object{
					"recipients": array{object{"email": tester, "name": "T"}},
					"bccs":       readersOf("boss@customer.example"),
				},
				want: []sentCopy{{
					Envelope: []string{tester}, To: []string{"T <" + tester + ">"},
					Subject: "[boss@customer.example] Hi", Original: "boss@customer.example",
				}},
			},
			"who gets them stands once, where he is named": {
				change: object{"recipients": array{customer, object{"email": tester, "name": "T"}}},
				want: []sentCopy{{
					Envelope: []string{tester}, To: []string{"T <" + tester + ">"},
					Subject: "[ada@customer.example] Hi", Original: "ada@customer.example",
				}},
			},
			"the tester alone, in another case of letters": {
				change: object{"recipients": readersOf("Tester@example.net")},
				want: []sentCopy{{
					Envelope: []string{"Tester@example.net"}, To: []string{"Tester@example.net"}, Subject: "Hi",
				}},
			},
			"a mail without a subject": {
				change: object{"recipients": array{customer}, "subject": nil},
				want: []sentCopy{{
					Envelope: []string{tester}, To: []string{tester}, Subject: "[ada@customer.example]",
					Original: "ada@customer.example",
				}},
			},
			// What looks like an encoded-word in a subject is text, and has to stay so behind the address.
			"a subject beyond ASCII": {
				change: object{"recipients": array{customer}, "subject": "Grüße =?utf-8?q?x?="},
				want: []sentCopy{{
					Envelope: []string{tester}, To: []string{tester},
					Subject: "[ada@customer.example] Grüße =?utf-8?q?x?=", Original: "ada@customer.example",
				}},
			},
			"separate mails, by what each says": {
				allow: []string{"example.org"},
				change: object{
					"recipients": array{
						object{"email": "max@customer.example", "placeholders": placeholders("name", "Max")},
						object{"email": "dev@example.org", "name": "Dev", "placeholders": placeholders("name", "Dev")},
					},
					"subject": "Hello {NAME}", "text": "Hello {NAME}",
					"config": array{"separate", "subjectplaceholders"},
				},
				want: []sentCopy{
					{
						Envelope: []string{tester}, To: []string{tester}, Subject: "[max@customer.example] Hello Max",
						Original: "max@customer.example",
					},
					{
						Envelope: []string{"dev@example.org"}, To: []string{"Dev <dev@example.org>"},
						Subject: "Hello Dev",
					},
				},
			},
			// The first group has only people who are let through. Yet its Cc would name customers of the second one.
			"groups: one copy of each, and no customer in To of one that is let through": {
				allow: []string{"example.org"},
				change: object{
					"recipients": recipients("to", 50),
					"ccs":        readersOf("max@customer.example", "lea@customer.example"),
				},
				want: []sentCopy{
					{
						Envelope: emails(recipients("to", 50)), To: named(recipients("to", 50)), Cc: []string{tester},
						Subject: "Hi",
					},
					{
						Envelope: []string{tester}, To: named(recipients("to", 50)), Cc: []string{tester},
						Subject: "[max@customer.example] Hi", Original: "max@customer.example, lea@customer.example",
					},
				},
			},
			// Without example.org in the rule all 72 are redirected: 50 in one group, 22 in the other.
			"a copy names 20, and says how many more": {
				change: object{"recipients": recipients("to", 72)},
				want: []sentCopy{
					{
						Envelope: []string{tester}, To: []string{tester}, Subject: "[to0@example.org] Hi",
						Original: strings.Join(emails(recipients("to", 20)), ", ") + " and 30 more",
					},
					{
						Envelope: []string{tester}, To: []string{tester}, Subject: "[to50@example.org] Hi",
						Original: strings.Join(emails(recipients("to", 70)[50:]), ", ") + " and 2 more",
					},
				},
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := s.withRedirect(t, c.allow...)
				r := s.send(t, s.mail(c.change))
				r.Is(t, http.StatusOK, object{"status": "success"})
				expect.Equal(t, s.sentCopies(t, r), c.want, "the copies")
				// redirected_to is in the answer only if some copy went there.
				var to any = tester
				hasCopy := func(m sentCopy) bool { return slices.Contains(m.Envelope, tester) || m.Original != "" }
				if !slices.ContainsFunc(c.want, hasCopy) {
					to = nil
				}
				expect.Equal(t, r.Body["redirected_to"], to)
			})
		}
	})
}

// emails returns the addresses of recipients.
func emails(list array) (all []string) {
	for _, r := range list {
		all = append(all, r.(object)["email"].(string))
	}
	return all
}

// named returns the mailboxes of recipients as headers have them.
func named(list array) (all []string) {
	for _, r := range list {
		all = append(all, fmt.Sprintf("%s <%s>", r.(object)["name"], r.(object)["email"]))
	}
	return all
}

// TestTheStacksRedirectCountsAlone: it replaces a key's redirect, and lets no domain through.
func TestTheStacksRedirectCountsAlone(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t, redirectAll("all@stack.example"))
		for name, s := range map[string]*stack{
			"a key without one": s, "a key with one": s.withRedirect(t, "example.org"),
		} {
			localtest.Case(t, name, func(t testing.TB) {
				r := s.send(t, s.mail(object{"recipients": readersOf("dev@example.org", tester)}))
				r.Is(t, http.StatusOK, object{"status": "success", "redirected_to": "all@stack.example"})
				expect.Equal(t, s.sentCopies(t, r), []sentCopy{{
					Envelope: []string{"all@stack.example"}, To: []string{"all@stack.example"},
					Subject: "[dev@example.org] Hi", Original: "dev@example.org, " + tester,
				}}, "the copies")
			})
		}
	})
}

// TestWhatElseARedirectedMailHas: a tag for SES's events, and no header field that unsubscribes. Other fields stay. A
// one-click button in the tester's mailbox would unsubscribe the customer.
func TestWhatElseARedirectedMailHas(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t).withRedirect(t, "example.org")
		leave := "<https://www.example.com/leave?u=7>"
		fields := object{
			"list-unsubscribe": leave, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
			"List-Id": "<x.example.com>", "X-Ticket": "7",
		}
		for name, c := range map[string]struct {
			to          string
			unsubscribe string
			tags        []tag
		}{
			"redirected":  {to: "ada@customer.example", tags: s.withKey(tag{"frontdesk-redirected", "true"})},
			"let through": {to: "dev@example.org", unsubscribe: leave, tags: s.withKey()},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				m, r := s.mustSend(t, s.mail(object{
					"recipients": readersOf(c.to), "headers": fields, "replyto": readersOf("help@customer.example"),
				}))
				post := ""
				if c.unsubscribe != "" {
					post = "List-Unsubscribe=One-Click"
				}
				expect.Equal(t, m.header.Get("List-Unsubscribe"), c.unsubscribe)
				expect.Equal(t, m.header.Get("List-Unsubscribe-Post"), post)
				expect.Equal(t, m.header.Get("List-Id"), "<x.example.com>")
				expect.Equal(t, m.header.Get("X-Ticket"), "7")
				expect.Equal(t, m.boxes(t, "Reply-To"), []string{"help@customer.example"})
				expect.Equal(t, s.sesRequests(t, r)[0].EmailTags, c.tags)
			})
		}
	})
}

// TestTheLinkOfARedirectedMailChangesNothing: a tester may click it without unsubscribing a customer. A recipient who
// is let through gets a link of his own that works, and later mails leave him out.
func TestTheLinkOfARedirectedMailChangesNothing(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t).withRedirect(t, "example.org")
		to := readersOf("ada@customer.example", "dev@example.org")
		r := s.send(t, s.newsletter(to, nil))
		r.Is(t, http.StatusOK, object{"status": "success"})
		m := s.captured(t, r.IDs[0])
		expect.Equal(t, m.header.Get("List-Unsubscribe"), "")
		expect.Equal(t, m.header.Get("List-Unsubscribe-Post"), "")
		expect.Equal(t, m.header.Get("List-Id"), "<news.example.com>")
		link, ours := strings.CutPrefix(m.text("text/plain"), "Leave: ")
		expect.Equal(t, ours, true, "the text has the link")
		for name, form := range map[string]string{
			"opened": "", "clicked": "List-Unsubscribe=One-Click", "taken back": "List-Unsubscribe=Undo",
		} {
			localtest.Case(t, name, func(t testing.TB) {
				method := "POST"
				if form == "" {
					method = "GET"
				}
				page := s.follow(t, method, link, formType, form)
				page.Is(t, http.StatusOK, nil)
				expect.Contains(t, page.Raw, "<h1>This link changes nothing</h1>")
				expect.Lacks(t, page.Raw, "<form")
				expect.Lacks(t, page.Raw, "ada")
				// The link says by itself that it is one of these: the table is not asked.
				expect.Equal(t, s.Actions(page), nil, "round trips")
			})
		}
		expect.Equal(t, s.left(t, "news"), nil, "who has left")
		s.click(t, addressIn(t, s.captured(t, r.IDs[1])))
		expect.Equal(t, s.left(t, "news"), []string{"dev@example.org by link"}, "who has left")
		again := s.send(t, s.newsletter(to, nil))
		again.Is(t, http.StatusOK, object{"status": "success", "unsubscribed": array{1.0}})
	})
}

// TestOneWhoHasUnsubscribedIsSentNoRedirectedMail: the redirect's address gets no copy for him either.
func TestOneWhoHasUnsubscribedIsSentNoRedirectedMail(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s = s.withRedirect(t)
		of := unsubscribe.Subscription{MailKey: s.id, List: "news", Recipient: "ada@customer.example"}
		if _, err := (unsubscribe.Store{Table: s.Table}).Add(t.Context(), of); err != nil {
			t.Fatal(err)
		}
		r := s.send(t, s.newsletter(readersOf("ada@customer.example"), nil))
		r.Is(t, http.StatusOK, object{"status": "error", "code": "unsubscribed", "redirected_to": nil})
		expect.Equal(t, s.sentMails(), 0)
	})
}

// TestARedirectThatChangesBetweenRequests with one Idempotency-Key: if some of the mail was sent under the other rule,
// the rest is not sent. If nothing was sent, the mail follows the new rule.
func TestARedirectThatChangesBetweenRequests(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		// The tool cannot change the redirect of a key, so the test writes the record.
		change := func(t testing.TB, s *stack, to string) {
			t.Helper()
			update := s.Table.UpdateItem(table.MailKey(s.id)).Set("redirect", to)
			if to == "" {
				update = s.Table.UpdateItem(table.MailKey(s.id)).Remove("redirect")
			}
			if err := update.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		refuse := awsproxy.Refuse(http.StatusBadRequest, "MessageRejected", "not now")
		for name, c := range map[string]struct {
			fault func(awsproxy.Call) *awsproxy.Fault
			from  bool // redirected before the change, else after it
			code  any
			sent  int    // afterwards
			to    string // the first one
		}{
			"set when some of it was sent": {
				fault: nth(2, "SendEmail", refuse), code: "unknown_outcome", sent: 1, to: "to0@example.org",
			},
			"taken away when some of it was sent": {
				fault: nth(2, "SendEmail", refuse), from: true, code: "unknown_outcome", sent: 1, to: tester,
			},
			"set when nothing was sent": {fault: firstN(2, "SendEmail", refuse), sent: 2, to: tester},
			"taken away when nothing was sent": {
				fault: firstN(2, "SendEmail", refuse), from: true, sent: 2, to: "to0@example.org",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t)
				if c.from {
					s = s.withRedirect(t)
				}
				m := s.mail(object{"recipients": recipients("to", 2), "config": array{"separate"}})
				s.inject(c.fault)
				s.sendOnce(t, "k", m).Is(t, http.StatusOK, object{"status": "error"})
				s.inject(nil)
				change(t, s, map[bool]string{true: "", false: tester}[c.from])
				s.sendOnce(t, "k", m).Is(t, http.StatusOK, object{"code": c.code})
				all := s.sentTo(t)
				expect.Len(t, all, c.sent, "addresses")
				// Recipients are sent side by side: which of the two was first is open.
				expect.Equal(t, strings.Replace(all[0], "to1@", "to0@", 1), c.to, "the first address")
			})
		}
	})
}

// TestAPartlySentMailSaysThatItIsRedirected, in the answer that goes on with it and in the replayed one as well.
func TestAPartlySentMailSaysThatItIsRedirected(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t).withRedirect(t)
		m := s.mail(object{"recipients": recipients("to", 2), "config": array{"separate"}})
		s.inject(nth(1, "SendEmail", awsproxy.Refuse(http.StatusBadRequest, "MessageRejected", "not now")))
		s.sendOnce(t, "k", m).Is(t, http.StatusOK, object{"code": "partly_sent", "redirected_to": tester})
		s.inject(nil)
		for range 2 {
			s.sendOnce(t, "k", m).Is(t, http.StatusOK, object{"status": "success", "redirected_to": tester})
		}
		expect.Equal(t, s.sentTo(t), []string{tester, tester}, "addresses")
	})
}

// TestARedirectedMailCountsAndCostsAsAnyOther: the quota counts its recipients, not its copies, so that a test finds
// the same limit as production.
func TestARedirectedMailCountsAndCostsAsAnyOther(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		key, text := s.NewMailKey(t, mailkey.Key{
			Name: "test", From: []string{"example.com"}, Sender: mail.Address{Address: "sender@example.com"}, Daily: 4,
			Redirect: redirect.Rule{To: tester},
		})
		s.key = text
		m := s.mail(object{"recipients": recipients("to", 3)})
		r := s.send(t, m)
		r.Is(t, http.StatusOK, object{"status": "success"})
		expect.Equal(t, s.Actions(r.Answer), []string{"BatchGetItem", "UpdateItem", "SendEmail"}, "round trips")
		_, used, err := s.keys.Used(t.Context(), key.ID, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, used, 3, "recipients of today")
		s.mustRefuse(t, m, http.StatusTooManyRequests, "has fewer than 3 left")
	})
}

// TestNothingIsSentUnderARedirectThatIsNone: if somebody broke the key's record by hand, or the stack's parameter is no
// address, the service answers 500. Sending without the redirect would reach customers.
func TestNothingIsSentUnderARedirectThatIsNone(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			stack string // its redirect
			key   object // attributes that its record gets; nil takes one away
		}{
			"the stack's is no address":          {stack: "a@-"},
			"the key's is no address":            {key: object{"redirect": "tester"}},
			"domains are left without one":       {key: object{"redirect": nil}},
			"one of the domains is not a domain": {key: object{"redirect_allow": []string{"a b"}}},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t, redirectAll(c.stack)).withRedirect(t, "example.org")
				for attribute, value := range c.key {
					update := s.Table.UpdateItem(table.MailKey(s.id))
					if value == nil {
						update.Remove(attribute)
					} else {
						update.Set(attribute, value)
					}
					if err := update.Run(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				r := s.send(t, s.mail(nil))
				expect.Equal(t, r.Status, http.StatusInternalServerError)
				expect.Equal(t, s.sentMails(), 0)
			})
		}
	})
}
