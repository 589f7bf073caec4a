package mail_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"

	"github.com/emersion/go-message"
	gomail "github.com/emersion/go-message/mail"
	"pgregory.net/rapid"
)

// watch checks every call of SES, even one that fails. The envelope, To and Cc have no address but the redirect's and
// those of the domain that is let through. A copy for that domain names no bcc; the addresses of bccs begin with "bcc".
type watch struct {
	to, allow string

	mu    sync.Mutex
	calls int
	wrong []string
	fault func(awsproxy.Call) *awsproxy.Fault
}

// see checks a call, and then lets the drawn fault happen to it.
func (w *watch) see(c awsproxy.Call) *awsproxy.Fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.Action == "SendEmail" {
		w.calls++
		if err := w.check(c.Body); err != nil {
			w.wrong = append(w.wrong, err.Error())
		}
	}
	if w.fault == nil {
		return nil
	}
	return w.fault(c)
}

// check returns what is wrong with a call. It reads the message with a parser that nobody here wrote.
func (w *watch) check(call []byte) error {
	var asked struct {
		Destination struct{ ToAddresses, CcAddresses, BccAddresses []string }
		Content     struct{ Raw struct{ Data []byte } }
	}
	if err := json.Unmarshal(call, &asked); err != nil {
		return err
	}
	m, err := message.Read(bytes.NewReader(asked.Content.Raw.Data))
	if err != nil {
		return err
	}
	header := gomail.Header{Header: m.Header}
	d := asked.Destination
	envelope := slices.Concat(d.ToAddresses, d.CcAddresses, d.BccAddresses)
	shown := []string{}
	for _, field := range []string{"To", "Cc"} {
		list, err := header.AddressList(field)
		if err != nil {
			return fmt.Errorf("%s: %w", field, err)
		}
		for _, box := range list {
			shown = append(shown, box.Address)
		}
	}
	allowed := func(to string) bool { return w.allow != "" && strings.HasSuffix(to, "@"+w.allow) }
	for where, list := range map[string][]string{"the envelope": envelope, "To and Cc": shown} {
		for _, to := range list {
			if to != w.to && !allowed(to) {
				return fmt.Errorf("%s has %s", where, to)
			}
		}
	}
	above := strings.Join(shown, " ") + header.Get("X-Original-To") + header.Get("Subject")
	// In none of these fields may somebody who is let through find a bcc.
	if slices.ContainsFunc(envelope, allowed) && strings.Contains(above, "bcc") {
		return fmt.Errorf("a copy for %q names a bcc: %s", envelope, above)
	}
	if header.Has("Bcc") || len(envelope) == 0 || len(slices.Compact(slices.Sorted(slices.Values(envelope)))) <
		len(envelope) {
		return fmt.Errorf("the envelope is %q", envelope)
	}
	return nil
}

// redirects starts stacks with a redirect, each with its watch: one of the mail key's, and one of the stack's, which
// replaces the key's.
func redirects(t testing.TB) map[string]func() (*stack, *watch) {
	watched := func(s *stack, w *watch) (*stack, *watch) {
		s.inject(w.see)
		return s.withRedirect(t, "example.org"), w
	}
	return map[string]func() (*stack, *watch){
		"a key's": func() (*stack, *watch) { return watched(start(t), &watch{to: tester, allow: "example.org"}) },
		"a stack's": func() (*stack, *watch) {
			return watched(start(t, redirectAll("all@stack.example")), &watch{to: "all@stack.example"})
		},
	}
}

// TestNoOtherAddressGetsARedirectedMail sends random mails, each up to three times, with random faults. To check more:
//
//	go test -run TestNoOtherAddress -rapid.checks=2000 ./internal/service/mail
func TestNoOtherAddressGetsARedirectedMail(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		given := false
		flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
		if !given {
			// Rapid's default of 100 checks, of up to three requests each, takes too long for every run of the tests.
			_ = flag.Set("rapid.checks", "10")
		}
		for name, start := range redirects(t) {
			localtest.Case(t, name, func(t testing.TB) {
				s, w := start()
				mails := 0
				rapid.Check(t, func(rt *rapid.T) {
					mails++
					m := s.drawMail(rt)
					idempotencyKey := fmt.Sprintf("k%d", mails)
					for range rapid.IntRange(1, 3).Draw(rt, "requests") {
						fault := drawFault(rt)
						w.mu.Lock()
						w.fault, w.wrong = fault, nil
						w.mu.Unlock()
						if rapid.Bool().Draw(rt, "with an Idempotency-Key") {
							s.sendOnce(t, idempotencyKey, m)
						} else {
							s.send(t, m)
						}
					}
					w.mu.Lock()
					defer w.mu.Unlock()
					if len(w.wrong) > 0 {
						rt.Fatalf("%v: %q", m, w.wrong)
					}
				})
				// A watch that has seen no call has shown nothing.
				expect.AtLeast(t, w.calls, mails/2, "calls of SES")
			})
		}
	})
}

// drawMail draws a mail: few or 60 recipients, at customers' domains, at the one that is let through and at domains
// that look like it; together or separate. A bcc's address begins with "bcc".
func (s *stack) drawMail(rt *rapid.T) object {
	// Let through is example.org, in any case. The others differ from it, or are below it, or end like it.
	domains := rapid.SampledFrom([]string{
		"customer.example", "Customer.Example", "müller.example", "example.org", "EXAMPLE.org", "mail.example.org",
		"notexample.org", "example.net", "stack.example",
	})
	draw := func(name string, least, most int) (list array) {
		for i := range rapid.IntRange(least, most).Draw(rt, name+"s") {
			// i/2 makes some addresses occur twice.
			local := fmt.Sprintf("%s%d", name, rapid.SampledFrom([]int{i, i / 2}).Draw(rt, "number"))
			list = append(list, object{"email": local + "@" + domains.Draw(rt, "domain"), "name": "Ärla, " + name})
		}
		return list
	}
	// 60 recipients are two groups. Most mails are small, so that many can be drawn.
	few := rapid.SampledFrom([]int{3, 3, 3, 60}).Draw(rt, "size")
	m := s.mail(object{"subject": rapid.SampledFrom([]string{"", "Hi", "Grüße {NAME}"}).Draw(rt, "subject")})
	m["placeholders"] = placeholders("name", "Niemand")
	m["config"] = array{"subjectplaceholders"}
	m["recipients"] = draw("to", 1, few)
	if !rapid.Bool().Draw(rt, "separate") {
		m["ccs"], m["bccs"] = draw("cc", 0, few), draw("bcc", 0, few)
		return m
	}
	m["config"] = array{"subjectplaceholders", "separate"}
	if rapid.Bool().Draw(rt, "unsubscribe") {
		m["config"] = array{"subjectplaceholders", "separate", "unsubscribe"}
		m["text"] = "Leave: {UNSUBSCRIBE}"
	}
	for i, r := range m["recipients"].(array) {
		to := r.(object)
		to["email"] = fmt.Sprintf("%d%s", i, to["email"]) // they have to differ
		to["placeholders"] = placeholders("name", "Zoë")
	}
	return m
}

// drawFault draws no fault, or one of the first three calls of SES or writes to the table.
func drawFault(rt *rapid.T) func(awsproxy.Call) *awsproxy.Fault {
	refuse := awsproxy.Refuse(http.StatusBadRequest, "MessageRejected", "not now")
	faults := []*awsproxy.Fault{nil, awsproxy.Throttled, awsproxy.CutBefore, awsproxy.CutAfter, refuse}
	f := rapid.SampledFrom(faults).Draw(rt, "fault")
	name := rapid.SampledFrom([]string{"SendEmail", "PutItem"}).Draw(rt, "action")
	if f == nil || f == refuse && name == "PutItem" {
		return nil
	}
	return nth(int64(rapid.IntRange(1, 3).Draw(rt, "call")), name, f)
}

// TestManyRedirectedRecipients: none of them gets the mail. The redirect's address gets one copy of each group, or one
// of each separate mail.
func TestManyRedirectedRecipients(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for rule, start := range redirects(t) {
			for name, c := range map[string]struct {
				change object
				copies int
			}{
				"together": {
					change: object{"recipients": customers("to", 120), "bccs": customers("bcc", 30)}, copies: 3,
				},
				"separate": {
					change: object{"recipients": customers("to", 12), "config": array{"separate"}}, copies: 12,
				},
			} {
				localtest.Case(t, rule+", "+name, func(t testing.TB) {
					s, w := start()
					m := s.mail(c.change)
					r := s.sendOnce(t, "k", m)
					r.Is(t, http.StatusOK, object{"status": "success", "redirected_to": w.to})
					expect.Len(t, r.IDs, c.copies)
					sent := s.sentTo(t)
					expect.Len(t, sent, c.copies, "addresses")
					expect.Equal(t, slices.Compact(sent), []string{w.to}, "the only address")
					expect.Equal(t, w.wrong, nil, "what is wrong")
				})
			}
		}
	})
}

// customers are recipients at a domain that the redirect does not let through.
func customers(name string, n int) array {
	list := recipients(name, n)
	for i := range list {
		list[i] = fixture.With(list[i].(object), object{"email": fmt.Sprintf("%s%d@customer.example", name, i)})
	}
	return list
}
