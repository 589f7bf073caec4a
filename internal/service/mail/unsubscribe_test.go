package mail_test

import (
	"context"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/mail/unsubscribe"
)

// newsletter is a mail of the list "news" with links to unsubscribe, with some fields changed.
func (s *stack) newsletter(to array, change object) object {
	return fixture.With(s.mail(object{
		"recipients": to, "list": "news", "config": array{"separate", "unsubscribe"}, "text": "Leave: {UNSUBSCRIBE}",
	}), change)
}

// readersOf are recipients with these addresses.
func readersOf(addresses ...string) (list array) {
	for _, address := range addresses {
		list = append(list, object{"email": address})
	}
	return list
}

// addressIn returns the unsubscribe link of a mail, from List-Unsubscribe.
func addressIn(t testing.TB, m parsed) string {
	t.Helper()
	field := m.header.Get("List-Unsubscribe")
	address, ok := strings.CutPrefix(strings.TrimSuffix(field, ">"), "<")
	if !ok {
		t.Fatalf("List-Unsubscribe: %s", field)
	}
	return address
}

const formType = "application/x-www-form-urlencoded"

// follow sends a request to the link of a mail, with a form or without a body.
func (s *stack) follow(t testing.TB, method, address, contentType, form string) fixture.Answer {
	t.Helper()
	path, ours := strings.CutPrefix(address, s.URL())
	if !ours {
		t.Fatalf("the address %s is not at %s", address, s.URL())
	}
	var body any
	if form != "" {
		body = form
	}
	return s.Call(t, fixture.At(method, path), http.Header{"Content-Type": {contentType}}, body)
}

// click unsubscribes by one click, as a mailbox does (RFC 8058 section 3.2).
func (s *stack) click(t testing.TB, address string) {
	t.Helper()
	s.follow(t, "POST", address, formType, "List-Unsubscribe=One-Click").Is(t, http.StatusOK, nil)
}

// left returns the addresses that have unsubscribed from a list of the mail key, each with "by link" or "by operator".
func (s *stack) left(t testing.TB, list string) (all []string) {
	t.Helper()
	found, err := unsubscribe.Store{Table: s.Table}.All(t.Context(), s.id, unsubscribe.Query{List: list})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range found {
		all = append(all, u.Email+" by "+string(u.By))
	}
	return all
}

// add unsubscribes an address from the list "news" of the stack's key, as an operator does.
func (s *stack) add(t testing.TB, address string) {
	t.Helper()
	of := unsubscribe.Subscription{MailKey: s.id, List: "news", Recipient: address}
	if added, err := (unsubscribe.Store{Table: s.Table}).Add(t.Context(), of); !added || err != nil {
		t.Fatal(added, err)
	}
}

// TestAMailOffersToUnsubscribe: each recipient's message has the header fields of RFC 8058 and a link of his own. The
// link does not show his address or the list.
func TestAMailOffersToUnsubscribe(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for name, c := range map[string]struct {
			change     object
			listID     string
			html, text string // {} is the address
		}{
			"with a list": {listID: "<news.example.com>", text: "Leave: {}"},
			"without one": {change: object{"list": nil}, text: "Leave: {}"},
			"with a list of all that its name may have": {
				change: object{"list": "a-z09" + strings.Repeat("x", 59)},
				listID: "<a-z09" + strings.Repeat("x", 59) + ".example.com>", text: "Leave: {}",
			},
			"in a link": {
				change: object{"text": nil, "html": `<p>Hello</p><p><a href="{UNSUBSCRIBE}">Leave</a></p>`},
				listID: "<news.example.com>", html: `<p>Hello</p><p><a href="{}">Leave</a></p>`,
				text: "Hello\r\n\r\nLeave ( {} )",
			},
			// The address has nothing to escape, so it comes out unchanged.
			"values are escaped": {
				change: object{
					"html":   `<a href='{UNSUBSCRIBE}'>x</a>`,
					"config": array{"separate", "unsubscribe", "escapeplaceholders"},
				},
				listID: "<news.example.com>", html: `<a href='{}'>x</a>`, text: "Leave: {}",
			},
			"nowhere in the texts": {change: object{"text": "Hello"}, listID: "<news.example.com>", text: "Hello"},
			"the List-Id of a mail that names no list": {
				change: object{"list": nil, "headers": object{"List-Id": "<x.example.com>"}}, listID: "<x.example.com>",
				text: "Leave: {}",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				r := s.send(t, s.newsletter(recipients(strings.ReplaceAll(name, " ", "-"), 2), c.change))
				r.Is(t, http.StatusOK, object{"status": "success", "warning": nil, "unsubscribed": nil})
				var addresses []string
				for _, id := range r.IDs {
					m := s.captured(t, id)
					address := addressIn(t, m)
					addresses = append(addresses, address)
					expect.HasPrefix(t, address, s.URL()+"/unsubscribe/fdu_")
					// Addresses are forwarded and logged: the recipient's is sealed in it, not spelt.
					expect.Lacks(t, address, "example")
					post := m.header.Get("List-Unsubscribe-Post")
					expect.Equal(t, post, "List-Unsubscribe=One-Click", "List-Unsubscribe-Post")
					expect.Equal(t, m.header.Get("List-Id"), c.listID)
					expect.Equal(t, m.text("text/plain"), strings.ReplaceAll(c.text, "{}", address))
					if c.html != "" {
						expect.Equal(t, m.text("text/html"), strings.ReplaceAll(c.html, "{}", address))
					}
				}
				expect.Len(t, slices.Compact(addresses), 2, "different addresses")
			})
		}
	})
}

// TestRulesOfUnsubscribe: a mail that breaks a rule of the switch is refused, and nobody is sent it.
func TestRulesOfUnsubscribe(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		to := recipients("to", 1)
		for name, c := range map[string]struct {
			mail object
			want string
		}{
			"without separate": {
				s.newsletter(to, object{"config": array{"unsubscribe"}}),
				"config has unsubscribe without separate: each recipient has an address of his own",
			},
			"a List-Unsubscribe of the sender's": {
				s.newsletter(to, object{"headers": object{"list-unsubscribe": "<https://example.com>"}}),
				"headers.list-unsubscribe is given twice, here and by unsubscribe in config",
			},
			"a List-Unsubscribe-Post of the sender's": {
				s.newsletter(to, object{"headers": object{"List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}}),
				"headers.List-Unsubscribe-Post is given twice, here and by unsubscribe in config",
			},
			"a List-Id beside a list": {
				s.newsletter(to, object{"headers": object{"List-ID": "<a.example.com>"}}),
				"headers.List-ID is given twice, here and in list",
			},
			"a placeholder of that name": {
				s.newsletter(to, object{"placeholders": placeholders("unsubscribe", "x")}),
				"placeholders[0].name must not be UNSUBSCRIBE with unsubscribe in config: {UNSUBSCRIBE} is the address",
			},
			"a recipient's placeholder of that name": {
				s.newsletter(array{object{
					"email": "a@example.org", "placeholders": placeholders("a", "", "Unsubscribe", "x"),
				}}, nil),
				"recipients[0].placeholders[1].name must not be UNSUBSCRIBE with unsubscribe in config",
			},
			"a list with a capital": {
				s.newsletter(to, object{"list": "News"}), "list must be 1 to 64 of the characters",
			},
			"a list of 65 characters": {
				s.newsletter(to, object{"list": strings.Repeat("a", 65)}), "list must be 1 to 64 of the characters",
			},
			"a list without the switch": {
				s.newsletter(to, object{"config": array{"separate"}}),
				"list is only allowed with unsubscribe in config",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) { s.mustRefuse(t, c.mail, http.StatusOK, c.want) })
		}
		// The secret of the links is in the key's record. Older records have none.
		localtest.Case(t, "a key that is older than the switch", func(t testing.TB) {
			old, text := s.NewMailKey(t, mailkey.Key{Name: "old", From: []string{"example.com"}})
			if err := s.Table.UpdateItem(table.MailKey(old.ID)).Remove("secret").Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			sender := object{"email": "sender@example.com"}
			s.mustRefuse(t, s.newsletter(to, object{"key": text, "sender": sender}), http.StatusOK,
				"config has unsubscribe, and the mail key was made before there was that switch: make a new key")
		})
		localtest.Case(t, "without the switch the name is any placeholder's", func(t testing.TB) {
			_, r := s.mustSend(t, s.mail(object{
				"text": "{UNSUBSCRIBE}", "placeholders": placeholders("unsubscribe", "x"),
			}))
			expect.Len(t, r.Warning, 0, "warnings")
		})
	})
}

// TestWhoHasUnsubscribedIsLeftOut: of later mails of that list by that mail key, and of no other mail. The answer names
// him.
func TestWhoHasUnsubscribedIsLeftOut(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const ada, ben = "Ada@example.org", "ben@example.org"
		first := s.send(t, s.newsletter(readersOf(ada, ben), nil))
		address := addressIn(t, s.captured(t, first.IDs[0]))
		s.click(t, address)
		s.click(t, address) // a second time changes nothing
		expect.Equal(t, s.left(t, "news"), []string{"ada@example.org by link"}, "who has left")

		again := s.send(t, s.newsletter(readersOf(ada, ben), nil))
		again.Is(t, http.StatusOK, object{"status": "success", "unsubscribed": array{0.0}})
		expect.Equal(t, again.IDs[0], "")
		expect.Equal(t, again.ID, again.IDs[1])
		expect.Equal(t, again.Warning, []string{"not sent to recipients[0], who unsubscribed"})
		expect.Equal(t, s.captured(t, again.ID).to, []string{ben})

		nobody := s.sendOnce(t, "nobody", s.newsletter(readersOf("ADA@EXAMPLE.org"), nil))
		nobody.Is(t, http.StatusOK, object{
			"status": "error", "code": "unsubscribed", "unsubscribed": array{0.0}, "ids": nil,
			"error": "the mail was not sent: each of its recipients has unsubscribed",
		})
		replayed := s.sendOnce(t, "nobody", s.newsletter(readersOf("ADA@EXAMPLE.org"), nil))
		expect.Equal(t, replayed.Raw, nobody.Raw, "the answer to the same request")

		for name, m := range map[string]object{
			"of another list":    s.newsletter(readersOf(ada), object{"list": "offers"}),
			"of no list":         s.newsletter(readersOf(ada), object{"list": nil}),
			"without the switch": s.mail(object{"recipients": readersOf(ada)}),
		} {
			localtest.Case(t, "a mail "+name+" is sent", func(t testing.TB) {
				s.send(t, m).Is(t, http.StatusOK, object{"status": "success", "unsubscribed": nil, "warning": nil})
			})
		}
		localtest.Case(t, "a mail of another key is sent", func(t testing.TB) {
			_, other := s.NewMailKey(t, mailkey.Key{Name: "other", From: []string{"example.com"}})
			change := object{"key": other, "sender": object{"email": "sender@example.com"}}
			s.send(t, s.newsletter(readersOf(ada), change)).Is(t, http.StatusOK, object{"status": "success"})
		})
		// Mails stay in mailboxes for longer than keys are in use.
		localtest.Case(t, "the address is good when the key is revoked", func(t testing.TB) {
			if _, err := s.keys.Revoke(t.Context(), s.id); err != nil {
				t.Fatal(err)
			}
			s.click(t, addressIn(t, s.captured(t, first.IDs[1])))
			both := []string{"ada@example.org by link", "ben@example.org by link"}
			expect.Equal(t, s.left(t, "news"), both, "who has left")
		})
		// Everything that was written passes the table's own check.
		s.MustBeWhole(t)
	})
}

// TestForms shows which requests to a link unsubscribe, which take that back, and which do nothing. The cases run in
// order, because each sees what the ones before have left. A GET changes nothing, because scanners of mails open
// every link.
func TestForms(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		address := addressIn(t, s.captured(t, s.send(t, s.newsletter(readersOf("ada@example.org"), nil)).ID))
		parts := func(value string) (contentType, body string) {
			var b strings.Builder
			w := multipart.NewWriter(&b)
			_ = w.WriteField("List-Unsubscribe", value)
			_ = w.Close()
			return w.FormDataContentType(), b.String()
		}
		// RFC 8058 allows both types of a form, and mailboxes use both.
		multipartType, multipartForm := parts("One-Click")
		ada := []string{"ada@example.org by link"}
		const oneClick, wayBack = "List-Unsubscribe=One-Click", "List-Unsubscribe=Undo"
		const asks, nothing, gone, back = "Stop these mails?", "Nothing was changed", "You are unsubscribed",
			"You get these mails again"
		for _, c := range []struct {
			name, method, contentType, form string
			status                          int
			says                            string
			left                            []string
		}{
			{name: "a GET", method: "GET", status: 200, says: asks},
			{name: "no form", method: "POST", contentType: formType, status: 400, says: nothing},
			{name: "another form", method: "POST", contentType: formType, form: "a=b", status: 400, says: nothing},
			{
				name: "JSON", method: "POST", contentType: "application/json", form: `{"List-Unsubscribe":"One-Click"}`,
				status: 400, says: nothing,
			},
			{
				// The form of RFC 8058 has 26 bytes. Anyone can send to this address, so little is read.
				name: "5 KiB", method: "POST", contentType: formType,
				form:   oneClick + "&a=" + strings.Repeat("a", 5<<10),
				status: 413, says: nothing,
			},
			{
				name: "a multipart form", method: "POST", contentType: multipartType, form: multipartForm,
				status: 200, says: gone, left: ada,
			},
			{name: "a GET afterwards", method: "GET", status: 200, says: asks, left: ada},
			{name: "the way back", method: "POST", contentType: formType, form: wayBack, status: 200, says: back},
			{name: "the way back again", method: "POST", contentType: formType, form: wayBack, status: 200, says: back},
			{
				name: "a form with a line end", method: "POST", contentType: formType, form: oneClick + "\r\n",
				status: 200, says: gone, left: ada,
			},
			{
				name: "a form with a charset", method: "POST", contentType: formType + "; charset=utf-8",
				form:   oneClick,
				status: 200, says: gone, left: ada,
			},
		} {
			localtest.Case(t, c.name, func(t testing.TB) {
				before := s.sentMails()
				r := s.follow(t, c.method, address, c.contentType, c.form)
				expect.Equal(t, r.Status, c.status)
				expect.Contains(t, r.Raw, "<h1>"+c.says+"</h1>", "page")
				expect.Lacks(t, r.Raw, "ada", "page")
				// A link does not tell whether its person has left: the way back is in the answer to leaving alone.
				expect.Equal(t, strings.Contains(r.Raw, `value="Undo"`), c.says == gone, "the way back is offered")
				expect.Equal(t, len(r.Header.Values("Set-Cookie")), 0, "cookies")
				expect.Equal(t, s.left(t, "news"), c.left, "who has left")
				expect.Equal(t, s.sentMails(), before)
			})
		}
		of := unsubscribe.Subscription{MailKey: s.id, List: "news", Recipient: "ada@example.org"}
		store := unsubscribe.Store{Table: s.Table}
		localtest.Case(t, "what an operator has added no link takes back", func(t testing.TB) {
			if added, err := store.Add(t.Context(), of); !added || err != nil {
				t.Fatal(added, err)
			}
			s.click(t, address)
			r := s.follow(t, "POST", address, formType, "List-Unsubscribe=Undo")
			r.Is(t, http.StatusOK, nil)
			expect.Contains(t, r.Raw, "<h1>You stay unsubscribed</h1>", "page")
			expect.Equal(t, s.left(t, "news"), []string{"ada@example.org by operator"}, "who has left")
		})
		// The page is the function's. If it dies, there is only API Gateway's JSON.
		localtest.Case(t, "API Gateway answers where the function dies", func(t testing.TB) {
			s.inject(nth(1, "BatchGetItem", awsproxy.KillAfter))
			defer s.inject(nil)
			died := s.follow(t, "GET", address, "", "")
			died.Is(t, http.StatusInternalServerError, object{"message": "Internal Server Error"})
		})
		localtest.Case(t, "one read, and one write", func(t testing.TB) {
			get := s.follow(t, "GET", address, "", "")
			expect.Equal(t, s.Actions(get), []string{"BatchGetItem"}, "calls of a GET")
			post := s.follow(t, "POST", address, formType, "List-Unsubscribe=One-Click")
			expect.Equal(t, s.Actions(post), []string{"BatchGetItem", "TransactWriteItems"}, "calls of a POST")
		})
	})
}

// TestThePageSpeaksTheReadersLanguage: pages and errors are in the best of seven languages by RFC 4647, or in English.
// They name the list and the sender's address, and never the mail key, whose name is the operator's.
func TestThePageSpeaksTheReadersLanguage(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const operators = "the key of Bob in sales"
		key, _ := s.NewMailKey(t, mailkey.Key{Name: operators, Sender: mail.Address{Address: "desk@example.com"}})
		sealer, err := unsubscribe.NewSealer(key.ID, key.Secret)
		if err != nil {
			t.Fatal(err)
		}
		token := sealer.Seal("news", "ada@example.org")
		titles := map[string][2]string{ // of the page that asks, and of the one for a link that is not good
			"en": {"Stop these mails?", "This link does not work"},
			"de": {"Diese E-Mails abbestellen?", "Dieser Link funktioniert nicht"},
			"fr": {"Ne plus recevoir ces e-mails\u00a0?", "Ce lien ne fonctionne pas"},
			"es": {"¿Dejar de recibir estos correos?", "Este enlace no funciona"},
			"it": {"Non ricevere più queste e-mail?", "Questo link non funziona"},
			"nl": {"Deze e-mails niet meer ontvangen?", "Deze link werkt niet"},
			"pt": {"Deixar de receber estes e-mails?", "Este link não funciona"},
		}
		for name, c := range map[string]struct{ accepted, lang string }{
			"nothing is asked for":     {"", "en"},
			"German":                   {"de", "de"},
			"German of Switzerland":    {"de-CH, en;q=0.5", "de"},
			"French":                   {"fr-CA", "fr"},
			"Spanish of Latin America": {"es-419", "es"},
			"Italian":                  {"IT", "it"},
			"Dutch":                    {"nl-BE;q=0.9, ja", "nl"},
			"Portuguese":               {"pt-BR", "pt"},
			"the greatest weight":      {"fr;q=0.1, it;q=0.9", "it"},
			"one that is refused":      {"de;q=0", "en"},
			"one that there is not":    {"ja", "en"},
			"no list of languages":     {"<script>\u00ff", "en"},
			"two thousand":             {strings.Repeat("de,", 2000), "de"},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				for i, token := range []string{token, token + "x"} {
					title := titles[c.lang][i]
					header := http.Header{"Accept-Language": {c.accepted}}
					r := s.Call(t, fixture.To("getUnsubscribePage", token), header, nil)
					expect.Contains(t, r.Raw, `<html lang="`+c.lang+`">`)
					expect.Contains(t, r.Raw, "<h1>"+title+"</h1>")
					expect.Lacks(t, r.Raw, operators)
					for _, told := range []string{"<bdi>news</bdi>", "<bdi>desk@example.com</bdi>"} {
						expect.Equal(t, strings.Contains(r.Raw, told), i == 0, told)
					}
				}
			})
		}
	})
}

// TestALinkOutlivesADamagedSender: whoever wants no more mails can leave, whatever became of the rest of the record.
func TestALinkOutlivesADamagedSender(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		address := addressIn(t, s.captured(t, s.send(t, s.newsletter(readersOf("ada@example.org"), nil)).ID))
		for name, damaged := range map[string]any{"no address": "desk@", "no text": 7} {
			if err := s.Table.UpdateItem(table.MailKey(s.id)).Set("sender", damaged).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			r := s.follow(t, "GET", address, "", "")
			r.Is(t, http.StatusOK, nil)
			expect.Contains(t, r.Raw, "<dl><div><dt>List</dt><dd><bdi>news</bdi></dd></div></dl>", name)
		}
	})
}

// TestForgedAddresses: some hundred forged links all get the same page with 404, so that nobody learns what is wrong
// with one, and none changes anything.
func TestForgedAddresses(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		address := addressIn(t, s.captured(t, s.send(t, s.newsletter(readersOf("ada@example.org"), nil)).ID))
		other, _ := s.NewMailKey(t, mailkey.Key{Name: "other", From: []string{"example.com"}})
		// Another key's secret under an id that is not that key's.
		sealer, err := unsubscribe.NewSealer(other.ID+1, other.Secret)
		if err != nil {
			t.Fatal(err)
		}
		base, token := address[:strings.LastIndex(address, "/")+1], address[strings.LastIndex(address, "/")+1:]
		sealed := strings.LastIndex(token, "_") + 2
		// First the shapes that a parser might trip over, then each character changed, cut and inserted.
		forged := []string{
			"x", "fdu", "fdu_", "fdu__1", "fdu_1_1", token[:sealed], "FDU" + token[3:], strings.ToUpper(token),
			token[:sealed-1] + "2" + token[sealed:], token + "a", token + "=", "fdm" + token[3:],
			"fdu_0_1" + token[sealed:],
			sealer.Seal("news", "ada@example.org"), "fdu_zzzzzzzzzzzzz_1" + token[sealed:],
		}
		for i := sealed; i < len(token); i++ { // every letter is another, and some parts are cut
			forged = append(forged, token[:i]+string("ab"[i%2])+token[i+1:])
			if i%4 == 0 {
				forged = append(forged, token[:i], token[:i]+"7"+token[i+1:], token[:i]+"z"+token[i:])
			}
		}
		// Some changes make the same character again.
		forged = slices.DeleteFunc(forged, func(text string) bool { return text == token })
		expect.AtLeast(t, len(forged), 80, "forged addresses")
		page := s.follow(t, "GET", base+"x", "", "").Raw
		expect.Contains(t, page, "<h1>This link does not work</h1>")
		answers := fixture.Together(4, func(part int) (wrong []string) {
			for i := part; i < len(forged); i += 4 {
				method, form := "GET", ""
				if i%2 == 0 {
					method, form = "POST", "List-Unsubscribe=One-Click"
				}
				r := s.follow(t, method, base+url.PathEscape(forged[i]), formType, form)
				if r.Status != http.StatusNotFound || r.Raw != page {
					wrong = append(wrong, fmt.Sprintf("%s %s: %d %.300s", method, forged[i], r.Status, r.Raw))
				}
			}
			return wrong
		})
		for _, wrong := range slices.Concat(answers...) {
			t.Error(wrong)
		}
		expect.Equal(t, s.CountItems(t, table.Unsubscribes, ""), 0)
		s.click(t, address)
		expect.Equal(t, s.CountItems(t, table.Unsubscribes, ""), 1)
	})
}

// TestLogsHaveTheRouteAndNeverTheToken: a token in a log would let its readers unsubscribe people. That holds for the
// function and the gateway. The console is for one developer, and shows requests as they were sent.
func TestLogsHaveTheRouteAndNeverTheToken(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		r := s.send(t, s.newsletter(readersOf("ada@example.org"), nil))
		address := addressIn(t, s.captured(t, r.ID))
		token := address[strings.LastIndex(address, "/")+1:]
		sealed := token[strings.LastIndex(token, "_")+1:]
		s.follow(t, "GET", address, "", "")
		s.click(t, address)
		// A path that is no route is logged as well, and must not show the token either.
		s.Call(t, fixture.At("GET", "/unsubscribed/"+token), nil, nil)
		routes := 0
		for _, line := range localtest.Logs(s.Stack.Stack) {
			expect.Lacks(t, line, sealed)
			expect.Lacks(t, line, "ada@")
			if strings.Contains(line, `"route":"GET /unsubscribe/{token}"`) ||
				strings.Contains(line, `"route":"POST /unsubscribe/{token}"`) {
				routes++
			}
		}
		expect.Equal(t, routes, 2, "lines with the route")
	})
}

// TestAddressesAreThoseThatClientsKnow: links have the API's public address, else its own domain, else the name under
// which it runs. Header fields that claim another host change nothing.
func TestAddressesAreThoseThatClientsKnow(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for public, want := range map[string]string{
			"":                             "https://origin.example.net/unsubscribe/fdu_",
			"https://api.example.net":      "https://api.example.net/unsubscribe/fdu_",
			"https://www.example.net/desk": "https://www.example.net/desk/unsubscribe/fdu_",
		} {
			s := start(t, func(o *local.Options) {
				o.Parameters = map[string]string{
					"DomainName": "origin.example.net", "CertificateArn": "arn:aws:acm:x", "PublicUrl": public,
				}
			})
			r := s.send(t, s.newsletter(readersOf("ada@example.org"), nil))
			expect.HasPrefix(t, addressIn(t, s.captured(t, r.ID)), want)
		}
		plain := start(t)
		headers := http.Header{
			"X-Forwarded-Host": {"evil.example"}, "X-Forwarded-Proto": {"https"}, "Forwarded": {"host=evil.example"},
		}
		r := plain.post(t, headers, plain.newsletter(readersOf("ada@example.org"), nil))
		expect.HasPrefix(t, addressIn(t, plain.captured(t, r.ID)), plain.URL()+"/unsubscribe/fdu_")
	})
}

// TestAMailingLeavesOutWhoHasUnsubscribed: of 110 recipients 11 have unsubscribed. The others get the mail once each,
// for two more reads.
func TestAMailingLeavesOutWhoHasUnsubscribed(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		const number, gone = 110, 11
		s := start(t)
		key, text := s.NewMailKey(t, mailkey.Key{Name: "daily", From: []string{"example.com"}, Daily: number - gone})
		store := unsubscribe.Store{Table: s.Table}
		var left array
		var ascending []any
		for i := range gone {
			of := unsubscribe.Subscription{
				MailKey: key.ID, List: "news", Recipient: fmt.Sprintf("to%d@example.org", i*7),
			}
			if added, err := store.Add(t.Context(), of); !added || err != nil {
				t.Fatal(added, err)
			}
			left, ascending = append(left, of.Recipient), append(ascending, float64(i*7))
		}
		m := s.newsletter(recipients("to", number), object{
			"key": text, "sender": object{"email": "sender@example.com"},
		})
		r := s.sendOnce(t, "k", m)
		r.Is(t, http.StatusOK, object{"status": "success", "unsubscribed": ascending})
		sent := map[string]int{}
		for _, captured := range s.Outbox().Mails() {
			for _, to := range captured.To {
				sent[to]++
			}
		}
		expect.Len(t, r.IDs, number)
		expect.Equal(t, len(sent), number-gone, "recipients")
		for to, times := range sent {
			expect.Equal(t, times, 1, "times that "+to+" was sent it")
			expect.Equal(t, slices.Contains(left, any(to)), false, to+" is left out")
		}
		reads, units := 0, 0 // a strongly consistent read takes a unit for each item, also for one that there is not
		for _, call := range s.AWSProxy().Calls(r.RequestID) {
			if n := strings.Count(string(call.Body), table.Unsubscribes); call.Action == "BatchGetItem" && n > 0 {
				reads++
				units += n
			}
		}
		expect.Equal(t, reads, 2) // at most table.MaxItems at once
		expect.Equal(t, units, number)
		_, used, err := s.keys.Used(t.Context(), key.ID, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, used, number-gone, "counted on the quota")
	})
}

// TestTheListOfUnsubscribes: a mail key lists its own unsubscribes, in pages, by list and since a time.
func TestTheListOfUnsubscribes(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		_, stranger := s.NewMailKey(t, mailkey.Key{Name: "other", From: []string{"example.com"}})
		store := unsubscribe.Store{Table: s.Table}
		first := time.Now().UTC().Format("2006-01-02T15:04:05") + ".999Z"
		var all []string
		for _, list := range []string{"", "news", "offers"} {
			for i := range 5 {
				of := unsubscribe.Subscription{MailKey: s.id, List: list, Recipient: fmt.Sprintf("to%d@example.org", i)}
				if added, err := store.Add(t.Context(), of); !added || err != nil {
					t.Fatal(added, err)
				}
				all = append(all, list+" "+of.Recipient)
			}
		}
		read := func(t testing.TB, query string) (found []string, pages int) {
			for cursor := ""; pages == 0 || cursor != ""; pages++ {
				// An empty cursor is none, so the first page needs no other call.
				to := fixture.To("listUnsubscribes").Query("?" + query + "&cursor=" + cursor)
				r := s.Call(t, to, fixture.Token(s.key), nil)
				var page struct {
					Payload []unsubscribe.Unsubscribe
					Meta    struct {
						NextCursor string `json:"next_cursor"`
					}
				}
				r.Decode(t, &page)
				for _, u := range page.Payload {
					found = append(found, u.List+" "+u.Email)
				}
				cursor = page.Meta.NextCursor
			}
			return found, pages
		}
		for name, c := range map[string]struct {
			query string
			want  []string
			pages int
		}{
			"all":                 {"", all, 1},
			"in pages":            {"limit=4", all, 4},
			"of a list":           {"list=news", all[5:10], 1},
			"of a list, in pages": {"list=news&limit=3", all[5:10], 2},
			"since a time":        {"since=2026-01-01T00:00:00Z&limit=4", all, 4},
			"since a part of the second of the first": {"since=" + first, all, 1},
			"since a day to come":                     {"since=2100-01-01", nil, 1},
			"of a list of nobody":                     {"list=new", nil, 1},
			"empty parameters":                        {"list=&since=&limit=", all, 1},
			"the last page is one":                    {"list=offers&limit=4", all[10:], 2},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				found, pages := read(t, c.query)
				expect.Equal(t, found, c.want)
				expect.Equal(t, pages, c.pages)
			})
		}
		for name, c := range map[string]struct{ query, message string }{
			"a limit of 0":     {"limit=0", "limit must be an integer from 1 to 1000"},
			"a name of none":   {"list=A", "list must be 1 to 64 of the characters a to z, 0 to 9 and -"},
			"no time":          {"since=yesterday", "since must be a time such as"},
			"a foreign cursor": {"cursor=AAAA", "cursor must be the next_cursor of an answer"},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				r := s.Call(t, fixture.To("listUnsubscribes").Query("?"+c.query), fixture.Token(s.key), nil)
				r.Is(t, http.StatusBadRequest, object{"code": "malformed"})
				expect.Contains(t, fmt.Sprint(r.Body["message"]), c.message)
			})
		}
		localtest.Case(t, "another key has others", func(t testing.TB) {
			r := s.Call(t, fixture.To("listUnsubscribes"), fixture.Token(stranger), nil)
			r.Is(t, http.StatusOK, nil)
			expect.Equal(t, len(r.Body["payload"].(array)), 0)
		})
		// 401 comes before the fault of the limit.
		localtest.Case(t, "a stranger has none", func(t testing.TB) {
			s.Call(t, fixture.To("listUnsubscribes").Query("?limit=0"), nil, nil).Is(t, http.StatusUnauthorized, nil)
		})
	})
}

// TestARequestThatGoesOn with a partly sent mail leaves out the same recipients as before, and those who have
// unsubscribed since. A recipient who came back meanwhile stays left out of this mail, and one who has the mail keeps
// his id.
func TestARequestThatGoesOn(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const ada, ben, cleo, dan = "ada@example.org", "ben@example.org", "cleo@example.org", "dan@example.org"
		store := unsubscribe.Store{Table: s.Table}
		set := func(address string, change func(context.Context, unsubscribe.Subscription) (bool, error)) {
			t.Helper()
			of := unsubscribe.Subscription{MailKey: s.id, List: "news", Recipient: address}
			if changed, err := change(t.Context(), of); !changed || err != nil {
				t.Fatal(changed, err)
			}
		}
		// Ada is out before the first request. SES then takes the mail for Ben alone.
		set(ada, store.Add)
		refused := func(c awsproxy.Call) *awsproxy.Fault {
			if c.Action == "SendEmail" && !strings.Contains(string(c.Body), ben) {
				return awsproxy.Refuse(http.StatusBadRequest, "MessageRejected", "not now")
			}
			return nil
		}
		m := s.newsletter(readersOf(ada, ben, cleo, dan), nil)
		s.inject(refused)
		first := s.sendOnce(t, "k", m)
		first.Is(t, http.StatusOK, object{
			"status": "error", "code": "partly_sent", "unsubscribed": array{0.0},
			"error": "the mail reached 1 of 3 recipients; it was not sent to 2 (recipients[2] to recipients[3]): " +
				"SES refused it: MessageRejected: not now",
		})
		expect.Equal(t, first.Warning, []string{"not sent to recipients[0], who unsubscribed"})
		s.inject(nil)
		set(ada, store.Remove) // who comes back gets the next mail
		set(ben, store.Add)    // who has this mail has it
		set(cleo, store.Add)
		again := s.sendOnce(t, "k", m)
		again.Is(t, http.StatusOK, object{"status": "success", "unsubscribed": array{0.0, 2.0}})
		expect.Equal(t, again.IDs[1], first.IDs[1])
		expect.Equal(t, again.IDs[2], "")
		expect.Equal(t, s.captured(t, again.IDs[3]).to, []string{dan})
		expect.Equal(t, s.sentMails(), 2)
		replayed := s.sendOnce(t, "k", m)
		expect.Equal(t, replayed.Raw, again.Raw, "the answer to the same request")
		expect.Equal(t, s.sentMails(), 2)
	})
}

// TestWhoIsLeftOutIsToldWhateverComesBefore: an attempt that ends before SES is asked leaves out nobody. The answer of
// the attempt that sends the mail says whom it leaves out.
func TestWhoIsLeftOutIsToldWhateverComesBefore(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s.add(t, "ada@example.org")
		m := s.newsletter(readersOf("ada@example.org", "cleo@example.org"), object{
			"attachments": attachment(s.files.URL+"/second-time.txt", nil),
		})
		first := s.sendOnce(t, "k", m)
		first.Is(t, http.StatusOK, object{"status": "error", "code": "download_failed", "unsubscribed": nil})
		again := s.sendOnce(t, "k", m)
		again.Is(t, http.StatusOK, object{"status": "success", "unsubscribed": array{0.0}})
	})
}

// TestTheAddressIsNotForTheSubject: SES's events, the log of mails and every answer repeat a subject, and with it would
// repeat the link.
func TestTheAddressIsNotForTheSubject(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		m := s.newsletter(readersOf("ada@example.org"), object{
			"subject": "News {UNSUBSCRIBE}", "config": array{"separate", "unsubscribe", "subjectplaceholders"},
		})
		s.send(t, m).Is(t, http.StatusOK, object{
			"status": "error", "code": "invalid",
			"error": "subject must not have {UNSUBSCRIBE}: " +
				"SES's events, the log of mails and every answer repeat a subject",
		})
		m["config"] = array{"separate", "unsubscribe"}
		sent := s.send(t, m)
		sent.Is(t, http.StatusOK, object{"status": "success"})
		captured := s.captured(t, sent.ID)
		expect.Equal(t, captured.header.Get("Subject"), "News {UNSUBSCRIBE}")
	})
}

// TestUnsubscribingWhileTheMailIsUnderWay: a recipient unsubscribes while SES is asked. This mail is sent to him, the
// answer says so, and the next mail leaves him out.
func TestUnsubscribingWhileTheMailIsUnderWay(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		of := unsubscribe.Subscription{MailKey: s.id, List: "news", Recipient: "ada@example.org"}
		var added bool
		var err error
		s.inject(fixture.Meanwhile("SendEmail", func() {
			added, err = unsubscribe.Store{Table: s.Table}.Add(context.Background(), of)
		}))
		m := s.newsletter(readersOf(of.Recipient), nil)
		r := s.sendOnce(t, "k", m)
		if !added || err != nil {
			t.Fatal(added, err)
		}
		r.Is(t, http.StatusOK, object{"status": "success", "unsubscribed": nil, "warning": nil})
		expect.Equal(t, s.captured(t, r.ID).to, []string{of.Recipient})
		expect.Equal(t, s.sendOnce(t, "k", m).Raw, r.Raw, "the answer to the same request")
		s.send(t, m).Is(t, http.StatusOK, object{"status": "error", "code": "unsubscribed"})
	})
}

// TestAWriteOfUnknownEndIsNoAnswer delays the first attempt at each write, so that the repetition is refused: somebody
// has left or returned already. The first attempt may still arrive, when the person has changed it again and was told
// so. So nobody is told that the refused one is done.
func TestAWriteOfUnknownEndIsNoAnswer(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const leave, comeBack = "List-Unsubscribe=One-Click", "List-Unsubscribe=Undo"
		operators := unsubscribe.Store{Table: s.Table}
		for name, c := range map[string]struct {
			byOperator bool   // who has left before; the recipient, by the link, if false
			asks       string // the form of the delayed request
		}{
			"leave twice":                            {false, leave},
			"leave what an operator has ended":       {true, leave},
			"return from what an operator has ended": {true, comeBack},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				to := id.New().String() + "@example.org"
				m, _ := s.mustSend(t, s.newsletter(readersOf(to), nil))
				address := addressIn(t, m)
				of := unsubscribe.Subscription{MailKey: s.id, List: "news", Recipient: to}
				if c.byOperator {
					s.add(t, to)
				} else {
					s.click(t, address)
				}
				arrive := s.DelayFirstAttempts(t, func() {
					a := s.follow(t, "POST", address, formType, c.asks)
					expect.Equal(t, a.Status, http.StatusServiceUnavailable, "status of "+a.Raw)
				})
				if _, err := operators.Remove(t.Context(), of); err != nil {
					t.Fatal(err)
				}
				arrive() // it may be applied: nobody was told otherwise
			})
		}
		for name, write := range map[string]func(unsubscribe.Store, unsubscribe.Subscription) (bool, error){
			"add what is there": func(in unsubscribe.Store, of unsubscribe.Subscription) (bool, error) {
				s.add(t, of.Recipient)
				return in.Add(t.Context(), of)
			},
			"remove what is not there": func(in unsubscribe.Store, of unsubscribe.Subscription) (bool, error) {
				return in.Remove(t.Context(), of)
			},
		} {
			localtest.Case(t, "operator: "+name, func(t testing.TB) {
				of := unsubscribe.Subscription{
					MailKey: s.id, List: "news", Recipient: id.New().String() + "@example.org",
				}
				s.DelayOperator(t, func(in table.Table) {
					done, err := write(unsubscribe.Store{Table: in}, of)
					expect.Equal(t, done, false, "it is done")
					expect.Equal(t, errors.Is(err, table.ErrUnknown), true, fmt.Sprintf("%v is unknown", err))
				})
			})
		}
	})
}
