package mail_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// placeholders are those of a mail or a recipient, from names and values in turn.
func placeholders(namesAndValues ...string) (list array) {
	for pair := range slices.Chunk(namesAndValues, 2) {
		list = append(list, object{"name": pair[0], "value": pair[1]})
	}
	return list
}

// readers are n recipients, each with a placeholder of his own whose value is his [greeting].
func readers(name string, n int) array {
	list := recipients(name, n)
	for i, r := range list {
		r.(object)["placeholders"] = placeholders("name", greeting(i))
	}
	return list
}

// greeting is the value of reader i: letters beyond ASCII, and characters that HTML must escape.
func greeting(i int) string { return fmt.Sprintf("Jürgen Größe %d & Söhne <äöü>", i) }

// separate is a mail with separate in its config, with some fields changed.
func (s *stack) separate(to array, change object) object {
	return fixture.With(fixture.With(s.mail(object{"text": nil}), object{
		"recipients": to, "html": "<p>Grüße an {NAME} von {US}</p>", "subject": "Für {NAME}",
		"placeholders": placeholders("us", "Zoë & Co.", "NAME", "Niemand"),
		"config":       array{"separate", "subjectplaceholders", "escapeplaceholders"},
	}), change)
}

// late is the error for the recipients for whom the 20 seconds were not enough.
const late = "SES could not be asked within 20s"

// TestEachRecipientGetsAMailOfHisOwn: each of 40 mails shows its recipient alone, with his own values. The file is
// downloaded once. The record of all groups stays well below the 400 KB of an item of DynamoDB.
func TestEachRecipientGetsAMailOfHisOwn(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		const number, size = 40, 10_000
		s := start(t)
		before := s.files.count()
		var writes, largest atomic.Int64
		s.inject(func(c awsproxy.Call) *awsproxy.Fault {
			if c.Action == "PutItem" {
				writes.Add(1)
				largest.Store(max(largest.Load(), int64(len(c.Body)))) // the writes of a record follow one another
			}
			return nil
		})
		m := s.separate(readers("to", number), object{
			"attachments": attachment(
				fmt.Sprintf("%s/bytes/%d", s.files.URL, size), object{"filename": "Anlage ä.bin"},
			),
		})
		r := s.sendOnce(t, "k", m)
		n, bytes := writes.Load(), largest.Load()
		expect.AtLeast(t, n, number/4)
		expect.AtMost(t, n, number+10)
		expect.AtMost(t, bytes, number*300) // so the record of 500 takes 150 kB of the 400 kB of an item
		r.Is(t, http.StatusOK, object{"status": "success"})
		expect.Len(t, r.IDs, number)
		expect.Equal(t, r.ID, r.IDs[0])
		expect.Equal(t, r.Warning, nil)
		expect.Equal(t, s.sentMails(), number)
		expect.Equal(t, s.files.count(), before+1, "files that were fetched")
		for i, id := range r.IDs {
			m := s.captured(t, id)
			to, err := m.header.AddressList("To")
			address := fmt.Sprintf("to%d@example.org", i)
			what := fmt.Sprintf("mail %d: ", i)
			if err != nil {
				t.Fatalf("%s%v", what, err)
			}
			expect.Len(t, to, 1, what+"To")
			expect.Equal(t, to[0].Address, address, what+"address")
			expect.Equal(t, to[0].Name, fmt.Sprintf("to Nr. %d", i), what+"name")
			expect.Equal(t, m.to, []string{address}, what)
			// One recipient must not learn of any other: To has the only address of this domain.
			expect.Equal(t, strings.Count(string(m.raw), "@example.org"), 1, what+"addresses in it")
			subject, err := m.header.Subject()
			if err != nil {
				t.Fatalf("%s%v", what, err)
			}
			expect.Equal(t, subject, "Für "+greeting(i), what)
			// escapeplaceholders is on: values are escaped in the HTML, and only there.
			name := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(greeting(i))
			expect.Equal(t, m.text("text/html"), "<p>Grüße an "+name+" von Zoë &amp; Co.</p>", what+"HTML")
			expect.Equal(t, m.text("text/plain"), "Grüße an "+greeting(i)+" von Zoë & Co.", what+"text")
			file := m.leaves[len(m.leaves)-1]
			expect.Equal(t, len(file.body), size, what)
			expect.Equal(t, file.filename, "Anlage ä.bin", what)
			expect.Equal(t, m.shape,
				"multipart/mixed(multipart/alternative(text/plain text/html) application/octet-stream)", what)
		}
	})
}

// TestASeparateMailLeavesOutAnEmptyPart: if a text is empty for some recipients, their messages have other MIME parts
// than those of the others, the same as a mail to them alone would have.
func TestASeparateMailLeavesOutAnEmptyPart(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const both, html, text = "multipart/alternative(text/plain text/html)", "text/html", "text/plain"
		for name, c := range map[string]struct {
			html, text []string // of each recipient, "" for none
			change     object
			shapes     []string
			texts      []string // the plain text of each
		}{
			"HTML": {
				html: []string{"<p>Ada", " ", "<p>Cem"}, text: []string{"to Ada", "to Ben", "to Cem"},
				shapes: []string{both, text, both}, texts: []string{"to Ada", "to Ben", "to Cem"},
			},
			"a text, which is made of the HTML": {
				html: []string{"<p>Ada", "<p><b>Ben</b>", "<p>Cem"}, text: []string{"to Ada", "", "to Cem"},
				shapes: []string{both, both, both}, texts: []string{"to Ada", "*Ben*", "to Cem"},
			},
			"a text, which is made of HTML that is the same for all": {
				html: []string{"", "", ""}, text: []string{"", "", "to Cem"}, change: object{"html": "<p>all"},
				shapes: []string{both, both, both}, texts: []string{"all", "all", "to Cem"},
			},
			"a text, with noconversion": {
				html: []string{"<p>Ada", "<p>Ben", "<p>Cem"}, text: []string{"to Ada", "to Ben", " "},
				change: object{"config": array{"separate", "noconversion"}},
				shapes: []string{both, both, html}, texts: []string{"to Ada", "to Ben", ""},
			},
			"either, or both": {
				html: []string{"", "<p>Ben", "", "<p>Dan"}, text: []string{"to Ada", "", "", "to Dan"},
				change: object{"config": array{"separate", "allowempty", "noconversion"}},
				shapes: []string{text, html, text, both}, texts: []string{"to Ada", "", "", "to Dan"},
			},
		} {
			// Each case twice: a file makes a multipart/mixed of the message, and its text a part.
			for _, file := range []string{"", " application/octet-stream"} {
				localtest.Case(t, name+file, func(t testing.TB) {
					var to array
					for i := range c.html {
						own := placeholders("html", c.html[i], "text", c.text[i])
						to = append(to, object{"email": fmt.Sprintf("to%d@example.org", i), "placeholders": own})
					}
					m := fixture.With(s.separate(to, object{
						"html": "{HTML}", "text": "{TEXT}", "subject": "x", "config": array{"separate"},
					}), c.change)
					if file != "" {
						m["attachments"] = content("\x00", object{"filename": "a.bin"})
					}
					r := s.send(t, m)
					r.Is(t, http.StatusOK, object{"status": "success"})
					for i, id := range r.IDs {
						got, shape := s.captured(t, id), c.shapes[i]
						if file != "" {
							shape = "multipart/mixed(" + shape + file + ")"
						}
						expect.Equal(t, got.shape, shape, fmt.Sprintf("the parts of %d", i))
						expect.Equal(t, got.text("text/plain"), c.texts[i], fmt.Sprintf("the text of %d", i))
						expect.Equal(t, strings.HasPrefix(got.text("text/html"), "<p>"),
							strings.Contains(shape, "html"), fmt.Sprintf("the HTML of %d", i))
					}
				})
			}
		}
	})
}

// TestWhatSeparateMailsSay: a recipient's placeholders add to the mail's, and win over those of the same name. A
// warning names recipients who lack a value that others have.
func TestWhatSeparateMailsSay(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		one := func(address string, own ...string) object {
			return object{"email": address + "@example.org", "placeholders": placeholders(own...)}
		}
		var many, stay []string // 25 names, and the warnings of the first 20
		for i := range 25 {
			many = append(many, fmt.Sprintf("N%02d", i), "x")
			stay = append(stay, fmt.Sprintf("{N%02d} stays as it is for recipients[0]: they have no value for it", i))
		}
		for name, c := range map[string]struct {
			recipients array
			change     object
			shape      string
			texts      []string // of the first leaf of each
			warning    string
		}{
			"a recipient alone": {
				recipients: array{one("a", "name", "Ada")},
				shape:      "multipart/alternative(text/plain text/html)",
				texts:      []string{"Grüße an Ada von Zoë & Co."},
			},
			// A value of the recipient wins over that of the mail. Whoever has none of his own gets the mail's.
			"names in any case, and without a value of their own": {
				recipients: array{one("a", "nAmE", "Ada", "us", "uns"), one("b")},
				shape:      "multipart/alternative(text/plain text/html)",
				texts:      []string{"Grüße an Ada von uns", "Grüße an Niemand von Zoë & Co."},
			},
			// The texts are written once, for all. Only the heads differ.
			"nothing differs but the recipient": {
				recipients: recipients("to", 3), change: object{"html": nil, "text": "Hallo {NAME}", "subject": "Hi"},
				shape: "text/plain", texts: []string{"Hallo Niemand", "Hallo Niemand", "Hallo Niemand"},
				warning: "placeholders stand nowhere in html, text or subject (in upper case): {US}",
			},
			"a text that differs, and HTML that does not": {
				recipients: array{one("a", "x", "1"), one("b", "x", "2")},
				change:     object{"html": "<p>{US}{NAME}</p>", "text": "Nr. {X}"},
				shape:      "multipart/alternative(text/plain text/html)", texts: []string{"Nr. 1", "Nr. 2"},
			},
			"HTML alone": {
				recipients: array{one("a", "name", "Ada"), one("b", "name", "Ben")},
				change: object{
					"html": "{NAME}{US}<img src=cid:x>", "config": array{"separate", "noconversion"}, "subject": "Hi",
					"attachments": attachment(s.files.URL+"/logo.png", object{"cid": "x"}),
				},
				shape: "multipart/related(text/html image/png)",
				texts: []string{"AdaZoë & Co.<img src=cid:x>", "BenZoë & Co.<img src=cid:x>"},
			},
			// Without escapes a value can change the structure of the HTML, so the text is made from each one anew.
			"markup as a value": {
				recipients: array{one("a", "name", "<b>Ada</b>"), one("b", "name", "Ben"), one("c", "name", "A&amp;B")},
				change: object{
					"config": array{"separate"}, "subject": "Hi", "placeholders": placeholders("us", "uns"),
				},
				shape: "multipart/alternative(text/plain text/html)",
				texts: []string{"Grüße an *Ada* von uns", "Grüße an Ben von uns", "Grüße an A&B von uns"},
			},
			// Most likely the sender's data is incomplete: the warning lists whose.
			"a value that one has not": {
				recipients: array{one("a", "x", "1"), one("b"), one("c"), one("d", "x", "4"), one("e")},
				change: object{
					"html": "<p>{NAME}{US}{X}</p>", "placeholders": placeholders("name", "N", "us", "U"),
				},
				shape: "multipart/alternative(text/plain text/html)",
				texts: []string{"NU1", "NU{X}", "NU{X}", "NU4", "NU{X}"},
				warning: "{X} stays as it is for recipients[1] to recipients[2], recipients[4]: " +
					"they have no value for it",
			},
			"more values that one has not than an answer lists": {
				recipients: array{one("a"), one("b", many...)},
				change: object{
					"html": nil, "text": "{" + strings.Join(many, "} {") + "}", "subject": "Hi", "placeholders": nil,
				},
				shape: "text/plain",
				texts: []string{
					"{" + strings.Join(many, "} {") + "}", strings.TrimSpace(strings.Repeat("x {x} ", 25)),
				},
				warning: strings.Join(stay[:20], "; "),
			},
			"a subject that one has not": {
				recipients: array{one("a", "name", "Ada"), one("b", "name", "")},
				change:     object{"subject": "{NAME}", "html": nil, "text": "{US}"},
				shape:      "text/plain", texts: []string{"Zoë & Co.", "Zoë & Co."},
				warning: "the mail has no subject for recipients[1]",
			},
			"empty bodies": {
				recipients: recipients("to", 2),
				change: object{
					"html": nil, "config": array{"separate", "allowempty"}, "placeholders": nil, "subject": nil,
				},
				shape: "text/plain", texts: []string{"", ""}, warning: "the mail has no subject",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				r := s.send(t, s.separate(c.recipients, c.change))
				if r.Outcome != "success" || len(r.IDs) != len(c.recipients) {
					t.Fatalf("answer %+v", r)
				}
				for i, id := range r.IDs {
					m := s.captured(t, id)
					expect.Equal[any](t, m.to[0], c.recipients[i].(object)["email"])
					expect.Equal(t, m.shape, c.shape)
					expect.Equal(t, m.leaves[0].body, c.texts[i])
				}
				if warning := strings.Join(r.Warning, "; "); warning != c.warning {
					t.Errorf("warning %q, want %q", warning, c.warning)
				}
			})
		}
	})
}

// TestSeparateMailsAgainstARule: a fault of one recipient is found before the first one is sent the mail.
func TestSeparateMailsAgainstARule(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		own := func(list ...array) array {
			all := recipients("to", len(list))
			for i := range list {
				all[i].(object)["placeholders"] = list[i]
			}
			return all
		}
		for name, c := range map[string]struct {
			recipients array
			change     object
			want       string
		}{
			"copies": {
				readers("to", 1), object{"ccs": recipients("cc", 1), "bccs": recipients("bcc", 1)},
				"ccs must not be given with separate in config: each mail shows only its own recipient; " +
					"bccs must not be given with separate in config: each mail shows only its own recipient",
			},
			"501 recipients": {
				recipients("to", 501), nil,
				"recipients are too many: 501; with separate in config at most 500 are allowed",
			},
			"an address twice": {
				array{
					object{"email": "a@example.org"}, object{"email": "b@example.org"},
					object{"email": "a@EXAMPLE.org"},
				},
				nil,
				"recipients[2].email is that of recipients[0]: with separate in config each address gets one mail",
			},
			// Unsubscribing has one idea of an address, too: the list counts both as one.
			"an address twice, in another case of letters": {
				array{object{"email": "a@example.org"}, object{"email": "A@example.org"}}, nil,
				"recipients[1].email is that of recipients[0]: with separate in config each address gets one mail",
			},
			"placeholders of a recipient without separate": {
				own(nil, placeholders("x", "y")), object{"config": array{"subjectplaceholders"}},
				"recipients[1].placeholders are only allowed with separate in config",
			},
			"a placeholder without a name": {
				own(nil, placeholders("x", "", "", "y")), nil, "recipients[1].placeholders[1].name is missing",
			},
			"a placeholder with a brace": {
				own(placeholders("{x}", "")), nil, "recipients[0].placeholders[0].name must not contain a brace",
			},
			"a placeholder twice": {
				own(placeholders("x", "", "X", "")), nil,
				`recipients[0].placeholders[1].name "X" is given twice (names are compared in upper case)`,
			},
			// The fault is in the data of one recipient, so the error names him.
			"a line feed for one subject": {
				own(placeholders("name", "Ada"), placeholders("name", "A\nB")), nil,
				`recipients[1].subject must not contain CR, LF or NUL, as the value of its placeholder "NAME" does`,
			},
			"a body that is empty for one": {
				own(placeholders("name", "Ada"), placeholders("name", " ")), object{"html": "{NAME}"},
				"for recipients[1] the body is empty: html has nothing but placeholders whose values are empty: {NAME}",
			},
			// It is so for everybody: the error names nobody.
			"bodies that are empty": {
				own(placeholders("name", ""), placeholders("name", " ")), object{"html": "{NAME}"}, "the body is empty",
			},
			"HTML that is too large for one": {
				own(placeholders("name", "Ada"), placeholders("name", strings.Repeat("x", 1000))),
				object{"html": strings.Repeat("{NAME}", 1100)},
				"for recipients[1] html is over 1048576 bytes once its placeholders are replaced",
			},
			// Four messages are in memory at once, so texts that differ have a lower limit than a message.
			"a text beside HTML that differs": {
				readers("to", 2), object{"text": strings.Repeat("x", 1<<20+1)},
				"text is over 1048576 bytes: with separate in config it may have no more where html or text has " +
					"placeholders of recipients",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s.mustRefuse(t, s.separate(c.recipients, c.change), http.StatusOK, c.want)
			})
		}
	})
}

// TestAQuotaCountsSeparateMails: a recipient whom SES refused is taken back from the count; ids keeps his place, empty.
func TestAQuotaCountsSeparateMails(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s.useLimitedKey(t, 10)
		s.inject(forAddress("to3@example.org", 1, awsproxy.Refuse(400, "BadRequestException", "Bad")))
		const want = "the mail reached 6 of 7 recipients; it was not sent to 1 (recipients[3]): " +
			"SES refused it: BadRequestException: Bad"
		r := s.send(t, s.separate(readers("to", 7), nil))
		expect.Equal(t, r.Error, want)
		expect.Len(t, r.IDs, 7)
		expect.Equal(t, r.IDs[3], "")
		expect.Equal(t, slices.Contains(slices.Delete(r.IDs, 3, 4), ""), false, `slices.Delete(r.IDs, 3, 4) has ""`)
		if n := s.counted(t); n != 6 {
			t.Errorf("%d are counted, want those who were sent it", n)
		}
		r = s.send(t, s.separate(readers("to", 5), nil))
		expect.Equal(t, refusedByQuota(r), true, "more than are left")
		expect.Equal(t, s.sentMails(), 6, "more than are left")
	})
}

// TestFiveReasonsAreTold: an answer says for at most five reasons whom a mail has not reached. All others are one more.
func TestFiveReasonsAreTold(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		var refusals []func(awsproxy.Call) *awsproxy.Fault
		for i := range 7 {
			refused := awsproxy.Refuse(400, "BadRequestException", fmt.Sprint("Bad ", i))
			refusals = append(refusals, forAddress(fmt.Sprintf("to%d@example.org", i), 1, refused))
		}
		s.inject(either(refusals...))
		want := "the mail reached 1 of 8 recipients"
		for i := range 5 {
			const one = "; it was not sent to 1 (recipients[%d]): SES refused it: BadRequestException: Bad %d"
			want += fmt.Sprintf(one, i, i)
		}
		want += "; it was not sent to 2 (recipients[5] to recipients[6]): other reasons"
		expect.Equal(t, s.send(t, s.separate(readers("to", 8), nil)).Error, want)
	})
}

// TestSeparateMailsKilledAtEveryStep kills the process before and after the calls for separate mails. Nobody gets two,
// at most four recipients stay unknown, and the ids name those who certainly have theirs.
func TestSeparateMailsKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		const number = 6
		for name, kill := range map[string]func(awsproxy.Call) *awsproxy.Fault{
			"before the claim":               nth(1, "PutItem", awsproxy.KillBefore),
			"after the claim":                nth(1, "PutItem", awsproxy.KillAfter),
			"before the first is begun":      nth(2, "PutItem", awsproxy.KillBefore),
			"after the first is begun":       nth(2, "PutItem", awsproxy.KillAfter),
			"before more are begun":          nth(3, "PutItem", awsproxy.KillBefore),
			"after more are begun":           nth(3, "PutItem", awsproxy.KillAfter),
			"before SES has the first":       nth(1, "SendEmail", awsproxy.KillBefore),
			"after SES has the first":        nth(1, "SendEmail", awsproxy.KillAfter),
			"before SES has the last":        nth(number, "SendEmail", awsproxy.KillBefore),
			"after SES has the last":         nth(number, "SendEmail", awsproxy.KillAfter),
			"before the answer is written":   final(awsproxy.KillBefore),
			"before the answer, after it is": final(awsproxy.KillAfter),
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t)
				s.inject(kill)
				m := s.separate(readers("to", number), nil)
				if killed := s.sendOnce(t, "k", m); killed.Status != http.StatusInternalServerError {
					t.Fatalf("the request whose process is killed: %+v", killed)
				}
				s.inject(nil)
				r, _ := s.sendUntilFinal(t, "k", m)
				sent := map[string]string{} // ids by address
				for _, mail := range s.Outbox().Mails() {
					expect.Len(t, mail.To, 1)
					expect.Equal(t, sent[mail.To[0]], "")
					sent[mail.To[0]] = mail.ID
				}
				known := 0
				for i, id := range r.IDs {
					if id == "" {
						continue
					}
					known++
					if sent[fmt.Sprintf("to%d@example.org", i)] != id {
						t.Errorf("recipients[%d] has not got %s", i, id)
					}
				}
				unclear := number - known
				expect.Equal(t, r.Outcome == "success", unclear == 0)
				expect.AtLeast(t, len(sent), known)
				// More than those under way cannot be unknown: every recipient is recorded before SES is asked for him.
				expect.AtMost(t, unclear, 4)
				if told := fmt.Sprintf("may or may not have been sent to %d (recipients[", unclear); unclear > 0 &&
					(!strings.Contains(r.Error, told) || strings.Contains(r.Error, "was not sent")) {
					t.Errorf("error %q", r.Error)
				}
				if again := s.sendOnce(t, "k", m); again.replayed() != "true" || again.Raw != r.Raw {
					t.Errorf("again: %+v, want %+v", again, r)
				}
			})
		}
	})
}

// final is a fault of the write that ends an attempt: it sets the lease to the zero time, year 1.
func final(f *awsproxy.Fault) func(awsproxy.Call) *awsproxy.Fault {
	return func(c awsproxy.Call) *awsproxy.Fault {
		if c.Action != "PutItem" || !strings.Contains(string(c.Body), `"lease":{"S":"0001-`) {
			return nil
		}
		return f
	}
}

// rate is a fault that lets a number of calls of SES through in a second, and throttles the others.
func rate(perSecond float64) func(awsproxy.Call) *awsproxy.Fault {
	var mu sync.Mutex
	var free time.Time
	return func(c awsproxy.Call) *awsproxy.Fault {
		if c.Service != "ses" {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if now.Before(free) {
			return awsproxy.Throttled
		}
		free = free.Add(time.Duration(float64(time.Second) / perSecond))
		if free.Before(now.Add(-time.Second)) {
			free = now.Add(-time.Second) // what was not used for a second is lost
		}
		return nil
	}
}

// TestARateOfSESIsKeptForSeparateMails: SES's rate is too low for 90 mails in one request. The answer comes in time and
// names the recipients who are left; the same request goes on with them.
func TestARateOfSESIsKeptForSeparateMails(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		const number, perSecond = 90, 3
		s := start(t)
		s.inject(rate(perSecond))
		m := s.separate(readers("to", number), nil)
		begin := time.Now()
		r := s.sendOnce(t, "k", m)
		var reached, of int
		_, err := fmt.Sscanf(r.Error, "the mail reached %d of %d recipients; it was not sent to", &reached, &of)
		took := time.Since(begin)
		if err != nil {
			t.Fatalf("after %s: %.2000s: %v", took, r.Error, err)
		}
		expect.Equal(t, of, number)
		expect.Equal(t, reached, s.sentMails())
		expect.AtLeast(t, reached, 1)
		// The first, 20 seconds of sending, and one that was saved up.
		expect.AtMost(t, reached, 1+21*perSecond)
		expect.Len(t, r.IDs, number)
		expect.HasSuffix(t, r.Error, " to recipients[89]): "+late)
		expect.Lacks(t, r.Error, "may or may not")
		expect.AtMost(t, took, 21*time.Second, "the answer's time")
		s.inject(nil)
		last := s.sendOnce(t, "k", m)
		if last.Outcome != "success" || len(last.IDs) != number {
			t.Fatalf("then: %+v", last)
		}
		for i, id := range r.IDs {
			if id != "" && id != last.IDs[i] {
				t.Errorf("recipients[%d] was %s, and is %s", i, id, last.IDs[i])
			}
		}
		s.mustReachOnce(t, m["recipients"].(array))
	})
}
